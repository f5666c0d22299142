// SPDX-License-Identifier: MIT
#include "hackbench/cli_text.h"

// g++ 12 takes std::regex's own code for uninitialised under -fsanitize; all
// that uses it is in this file.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <regex>
#include <sstream>

namespace hackbench::cli {

Argv Split(std::string_view words) {
  std::istringstream stream{std::string(words)};
  Argv argv;
  for (std::string word; stream >> word;) argv.push_back(word);
  return argv;
}

std::string Mask(const std::string& text) {
  static const std::regex time_line(R"((^|\n)((?:Time:| +Total time:) ))"
                                    R"(\d+\.\d{3}(?= \[sec\]\n|\n))");
  static const std::regex bare_seconds(R"((^|\n)\d+\.\d{3}(?=\n))");
  static const std::regex pid(R"(\bpid \d+)");
  std::string masked = std::regex_replace(text, time_line, "$1$2T");
  masked = std::regex_replace(masked, bare_seconds, "$1T");
  return std::regex_replace(masked, pid, "pid N");
}

bool Matches(const std::string& text, const std::string& pattern) {
  return std::regex_match(text, std::regex(pattern));
}

std::vector<std::string> ExtractByLine(const std::string& text,
                                       const std::string& pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_search(line, match, regex)) found.push_back(match[1]);
  }
  return found;
}

}  // namespace hackbench::cli
