// SPDX-License-Identifier: MIT
#include "hackbench/documents.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "hackbench/command_list.h"
#include "hackbench/option_table.h"

namespace hackbench {
namespace {

// What `command` prints when `input` is in a file that replaces its "@".
std::string OutputOf(std::string command, const std::string& input) {
  char path[] = "/tmp/hackbench_documents_XXXXXX";
  const int fd = mkstemp(path);
  if (fd < 0) return "no temporary file";
  std::ofstream(path) << input;
  command.replace(command.find('@'), 1, path);
  std::string output;
  if (FILE* const pipe = popen(command.c_str(), "r")) {
    for (int c = getc(pipe); c != EOF; c = getc(pipe)) {
      output.push_back(static_cast<char>(c));
    }
    pclose(pipe);
  }
  unlink(path);
  close(fd);
  return output;
}

TEST(DocumentsTest, ManualNamesEveryOptionAndCommand) {
  const std::string text = ManualText();
  for (const OptionRow& row : OptionTable()) {
    std::string entry = "\\fB\\-\\-";
    for (const char c : row.name) {
      if (c == '-') entry += '\\';
      entry += c;
    }
    EXPECT_NE(text.find(entry + "\\fR"), std::string::npos) << row.name;
  }
  for (const CommandEntry& entry : kCommandList) {
    EXPECT_NE(text.find("\\fB" + std::string(entry.name) + "\\fR\n"),
              std::string::npos)
        << entry.name;
  }
}

// A line of text that begins with a dot or a quote would be a request.
TEST(DocumentsTest, ManualHasNoAccidentalRequest) {
  const std::string text = ManualText();
  for (size_t at = 0; (at = text.find("\n.", at)) != std::string::npos; ++at) {
    const std::string request = text.substr(at + 2, 2);
    EXPECT_TRUE(request == "TP" || request == "SH" || request == "SS" ||
                request == "br" || request == "B " || request == "BR")
        << request;
  }
  EXPECT_EQ(text.find("\n'"), std::string::npos);
}

TEST(DocumentsTest, BashTakesTheCompletion) {
  const std::string complete = R"(bash -c '
    . @
    ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _hackbench
            echo "${COMPREPLY[*]}"; }
    ask hackbench pro
    ask hackbench --transport so
    ask hackbench --hang
    ask hackbench sched ""
    ask hackbench sched messaging --nr' 2>&1)";
  EXPECT_EQ(OutputOf(complete, BashCompletionText()),
            "process\nsocketpair\n--hang-after\nmessaging\n--nr_loops\n");
}

}  // namespace
}  // namespace hackbench
