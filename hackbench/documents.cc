// SPDX-License-Identifier: MIT
#include "hackbench/documents.h"

#include <absl/strings/str_join.h>
#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "hackbench/command_list.h"
#include "hackbench/option_table.h"
#include "hackbench/transport_list.h"

namespace hackbench {
namespace {

constexpr std::string_view kIntroduction = R"(.SH NAME
hackbench \- scheduler and IPC stress test
.SH SYNOPSIS
.B hackbench
[\fIOPTION\fR]...
.br
.B hackbench
[\fB\-pipe\fR] [\fIGROUPS\fR [\fBprocess\fR|\fBthread\fR [\fILOOPS\fR]]] [\fIOPTION\fR]...
.br
.B hackbench sched messaging
[\fIOPTION\fR]...
.br
.B hackbench
\fICOMMAND\fR [\fIWORD\fR]...
.SH DESCRIPTION
Starts groups of senders and receivers, processes or threads, in which each
sender passes messages to each receiver of its group, and prints the time from
the start to the end of the last task. The three spellings are those of the
first hackbench, of rt-tests and of perf bench; each prints the lines of its
model on standard output and nothing else.
)";

constexpr std::string_view kEnding = R"(.SH EXIT STATUS
.TP
0
The run was done.
.TP
1
The run failed; no time was printed.
.TP
2
A command line that cannot be understood (1 in the spellings of the first
hackbench and of rt-tests, 129 in that of perf).
.TP
124
\fB\-\-timeout\fR or \fB\-\-hang\-after\fR ended the run.
.TP
128+\fIN\fR
Signal \fIN\fR ended the run.
.SH SEE ALSO
.BR perf\-bench (1),
.BR sched (7),
.BR socketpair (2),
.BR pipe (2)
)";

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\') {
      escaped += "\\e";
      continue;
    }
    if (c == '-') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string ManualEntry(const OptionRow& row) {
  const std::string value =
      row.takes_value() ? fmt::format("=\\fI{}\\fR", row.value_name) : "";
  const std::string letter =
      row.letter == 0 ? "" : fmt::format("\\fB\\-{}\\fR, ", row.letter);
  std::string help = Escaped(row.help);
  if (!row.default_value.empty()) {
    help += fmt::format(" (default {})", Escaped(row.default_value));
  }
  return fmt::format(".TP\n{}\\fB\\-\\-{}\\fR{}\n{}\n", letter,
                     Escaped(row.name), value, help);
}

std::string ManualOptions(Spelling spelling) {
  std::string text;
  for (const Section section : kSections) {
    text += fmt::format(".SS {}\n", SectionTitle(section));
    for (const OptionRow& row : OptionTable()) {
      if (row.section == section && (row.spellings & spelling) != 0) {
        text += ManualEntry(row);
      }
    }
  }
  return text;
}

std::vector<std::string> OptionWords(Spelling spelling) {
  std::vector<std::string> words;
  for (const OptionRow& row : OptionTable()) {
    if ((row.spellings & spelling) == 0) continue;
    if (row.letter != 0) words.push_back(fmt::format("-{}", row.letter));
    words.push_back(fmt::format("--{}", row.name));
  }
  return words;
}

// `names` of a list's entries, as one word list of the shell.
template <typename List>
std::string NamesOf(const List& list) {
  return absl::StrJoin(list, " ", [](std::string* out, const auto& entry) {
    out->append(entry.name.data(), entry.name.size());
  });
}

}  // namespace

std::string ManualText() {
  std::string text =
      fmt::format(".TH HACKBENCH 1 \"\" \"hackbench {}\" \"User Commands\"\n",
                  HACKBENCH_VERSION);
  text += kIntroduction;
  text += ".SH OPTIONS\n" + ManualOptions(kRtTestsSpelling);
  text += ".SH OPTIONS OF SCHED MESSAGING\n" + ManualOptions(kPerfSpelling);
  text += ".SH COMMANDS\n";
  for (const CommandEntry& entry : kCommandList) {
    text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", Escaped(entry.name),
                        Escaped(entry.summary));
  }
  text += kEnding;
  return text;
}

std::string BashCompletionText() {
  return fmt::format(
      R"(# bash completion for hackbench
_hackbench() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
  local options="{}"
  case " ${{COMP_WORDS[*]}} " in
    *" messaging "*) options="{}" ;;
  esac
  case $before in
    --transport) options="{}" ;;
    --record) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    sched) options=messaging ;;
    hackbench) options+=" process thread {}" ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
}}
complete -F _hackbench hackbench
)",
      absl::StrJoin(OptionWords(kRtTestsSpelling), " "),
      absl::StrJoin(OptionWords(kPerfSpelling), " "), NamesOf(kTransportList),
      NamesOf(kCommandList));
}

}  // namespace hackbench
