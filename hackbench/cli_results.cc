// SPDX-License-Identifier: MIT
#include "hackbench/cli_results.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

namespace hackbench::cli {

bool ResultsTest::DatabaseExists() const {
  return access(Database().c_str(), F_OK) == 0;
}

Argv ResultsTest::ExperimentWords(const std::string& command,
                                  const Argv& words) const {
  Argv argv = {command, "--db", Database(), "--allow-parallel"};
  argv.insert(argv.end(), words.begin(), words.end());
  return argv;
}

Result ResultsTest::Experiment(const std::string& command,
                               const Argv& words) const {
  return RunToEnd(ExperimentWords(command, words));
}

Result ResultsTest::Results(const Argv& words) const {
  Argv argv = words;
  argv.insert(argv.end(), {"--db", Database()});
  return RunToEnd(argv);
}

void ResultsTest::WriteProgram(const std::string& path,
                               const std::string& text) {
  std::ofstream(path) << text;
  chmod(path.c_str(), 0755);
}

size_t ResultsTest::CountLines(const std::string& text,
                               const std::string& part) {
  std::istringstream lines(text);
  size_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    count += line.find(part) != std::string::npos;
  }
  return count;
}

}  // namespace hackbench::cli
