// SPDX-License-Identifier: MIT
// For tests of the commands that make and read results: a directory and a
// results file of their own.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hackbench/cli_runner.h"

namespace hackbench::cli {

class ResultsTest : public testing::Test {
 protected:
  std::string File(const std::string& name) const {
    return directory_.File(name);
  }
  std::string Database() const { return File("results.db"); }
  bool DatabaseExists() const;

  // With this test's results file. Experiments of other tests may run beside.
  Result Ab(const Argv& words) const { return Experiment("ab", words); }
  Result Sweep(const Argv& words) const { return Experiment("sweep", words); }
  Result Experiment(const std::string& command, const Argv& words) const;
  Argv ExperimentWords(const std::string& command, const Argv& words) const;
  Result Results(const Argv& words) const;

  static void WriteProgram(const std::string& path, const std::string& text);
  // Lines that hold `part`.
  static size_t CountLines(const std::string& text, const std::string& part);

 private:
  TempDirectory directory_;
};

}  // namespace hackbench::cli
