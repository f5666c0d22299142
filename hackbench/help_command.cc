// SPDX-License-Identifier: MIT
// `hackbench help`: the commands, one command's options, or a document.
#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "hackbench/command_list.h"
#include "hackbench/documents.h"
#include "hackbench/log.h"
#include "hackbench/stdio.h"
#include "hackbench/suggest.h"

namespace hackbench {
namespace {

constexpr int kExitUsage = 2;

struct Document {
  std::string_view topic;
  std::string (*text)();
};

constexpr std::array kDocuments = {
    Document{"man", ManualText},
    Document{"completion", BashCompletionText},
};

int Print(const std::string& text) {
  absl::Status status = WriteStdout(text);
  if (status.ok()) return 0;
  LogError(std::string(status.message()));
  return 1;
}

std::string CommandsText() {
  std::string text = "commands:\n";
  for (const CommandEntry& entry : kCommandList) {
    text += fmt::format("  {:<12}{}\n", entry.name, entry.summary);
  }
  return text + "hackbench --help shows the options of a run\n";
}

}  // namespace

int HelpCommand(Words words) {
  if (words.empty()) return Print(CommandsText());
  const std::string_view topic = words.front();
  std::vector<std::string_view> topics;
  for (const Document& document : kDocuments) {
    if (document.topic == topic) return Print(document.text());
    topics.push_back(document.topic);
  }
  for (const CommandEntry& entry : kCommandList) {
    if (entry.name == "help") continue;
    if (entry.name == topic) {
      // perf's help needs the name of its suite too.
      constexpr std::array<std::string_view, 2> kAsk = {"messaging", "--help"};
      return entry.run(Words(kAsk).subspan(topic == "sched" ? 0 : 1));
    }
    topics.push_back(entry.name);
  }
  LogError(fmt::format("no help on '{}'{}; hackbench help lists the commands",
                       topic, DidYouMean(topic, topics)));
  return kExitUsage;
}

}  // namespace hackbench
