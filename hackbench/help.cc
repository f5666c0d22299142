// SPDX-License-Identifier: MIT
#include "hackbench/help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <vector>

#include "hackbench/clock.h"
#include "hackbench/suggest.h"
#include "hackbench/transport_list.h"
#include "hackbench/user_report.h"
#include "hackbench/worker_loop.h"

namespace hackbench {
namespace {

constexpr size_t kHelpColumn = 28;
constexpr size_t kWidth = 79;

// Breaks `text` at blanks so that each line fits behind the help column.
std::string Wrap(std::string_view text) {
  std::string wrapped;
  size_t column = kHelpColumn;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    if (column + word.size() > kWidth) {
      wrapped.back() = '\n';
      wrapped.append(kHelpColumn, ' ');
      column = kHelpColumn;
    }
    wrapped += fmt::format("{} ", word);
    column += word.size() + 1;
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  wrapped.pop_back();
  return wrapped;
}

// What --latency adds to a message: two looks at the clock and one bucket.
// Measured when asked, since it is the machine's and not ours.
double LatencyCostNs() {
  constexpr int kRounds = 20000;
  Histogram histogram;
  std::array<std::byte, sizeof(int64_t)> message{};
  const int64_t begin_ns = MonotonicNs();
  for (int i = 0; i < kRounds; ++i) {
    StampClock(message, 0);
    RecordLatency(message, 0, histogram);
  }
  return static_cast<double>(MonotonicNs() - begin_ns) / kRounds;
}

std::string OptionText(const OptionRow& row) {
  const std::string letter =
      row.letter == 0 ? "    " : fmt::format("-{}, ", row.letter);
  const std::string value =
      row.takes_value() ? fmt::format("={}", row.value_name) : "";
  const std::string names = fmt::format("  {}--{}{}", letter, row.name, value);
  std::string help(row.help);
  if (!row.default_value.empty()) {
    help += fmt::format(" (default {})", row.default_value);
  }
  if (row.id == OptionId::kLatency) {
    help += fmt::format("; costs {:.0f} ns a message here, measured now",
                        LatencyCostNs());
  }
  const std::string gap = names.size() + 2 > kHelpColumn
                              ? "\n" + std::string(kHelpColumn, ' ')
                              : std::string(kHelpColumn - names.size(), ' ');
  return names + gap + Wrap(help) + "\n";
}

std::string_view Usage(Spelling spelling) {
  if (spelling == kPerfSpelling) {
    return "usage: hackbench sched messaging [OPTIONS]\n";
  }
  return "usage: hackbench [OPTIONS]\n"
         "       hackbench [-pipe] [GROUPS [process|thread [LOOPS]]] "
         "[OPTIONS]\n"
         "       hackbench sched messaging [OPTIONS]\n"
         "       hackbench COMMAND; hackbench help lists the commands\n"
         "\n"
         "Starts groups of senders and receivers that pass messages, and "
         "prints the time\nfrom the start to the end of the last task.\n"
         "\n"
         "  hackbench                       10 groups of 20 + 20 processes\n"
         "  hackbench 100 process 1000      100 groups, 1000 loops\n"
         "  hackbench -g 40 -s 500 -l 500   the same in options\n"
         "  hackbench -pipe 20 thread 1000  threads over pipes\n";
}

std::string DescribeTraits(const TransportTraits& traits) {
  std::string text = traits.atomic_bytes == 0
                         ? "mixes senders at any byte"
                         : fmt::format("messages of up to {} bytes stay whole",
                                       traits.atomic_bytes);
  if (traits.has_nodelay) text += ", nodelay";
  switch (traits.model) {
    case MessageModel::kNone:
      return text + ", kernel plane only";
    case MessageModel::kSocket:
      return text + ", socket model";
    case MessageModel::kPipe:
      break;
  }
  return text + ", pipe model";
}

}  // namespace

std::string HelpText(Spelling spelling) {
  std::string text(Usage(spelling));
  for (const Section section : kSections) {
    text += fmt::format("\n{}:\n", SectionTitle(section));
    for (const OptionRow& row : OptionTable()) {
      if (row.section == section && (row.spellings & spelling) != 0) {
        text += OptionText(row);
      }
    }
  }
  return text;
}

std::string VersionText() { return "hackbench " HACKBENCH_VERSION "\n"; }

absl::StatusOr<std::string> ListText(std::string_view what) {
  std::string text = PartListText(what);
  if (!text.empty()) return text;
  if (what == "transports") {
    for (const TransportEntry& entry : kTransportList) {
      text += fmt::format("{:<12}{} [{}]\n", entry.name, entry.summary,
                          DescribeTraits(entry.traits));
    }
    return text;
  }
  std::vector<std::string_view> kinds = PartListNames();
  kinds.emplace_back("transports");
  return absl::InvalidArgumentError(fmt::format("--list '{}': choices are {}{}",
                                                what, fmt::join(kinds, ", "),
                                                DidYouMean(what, kinds)));
}

}  // namespace hackbench
