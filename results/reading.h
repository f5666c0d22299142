// SPDX-License-Identifier: MIT
// From what a launch printed to its figures and the configuration it really
// had.
//
// Three kinds of output are read: the run record (results/record.h), the lines
// that every hackbench prints ("Running in process mode with 10 groups …",
// "Time: 1.234", perf's "Total time: 1.234 [sec]"), and, for any program, lines
// that match a regular expression. The lines of a foreign hackbench say what it
// ran, so a command line that it misread is caught.
#pragma once

#include <absl/status/statusor.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "results/arm.h"
#include "results/store.h"
#include "results/subprocess.h"

namespace hackbench::results {

struct TextMetric {
  std::string regex = {};     // Group 1 is the number. Empty: Time: lines.
  std::string name = "time";  // "wall": the time from fork to reaping.
  std::string unit = "s";
  std::string better = "lower";
};

struct Reading {
  std::string status =
      {};  // "ok", "failed", "timeout", "interrupted", "mismatch"
  std::string message = {};
  std::map<std::string, std::vector<double>> values = {};  // By metric.
  std::string config_json = "{}";
  std::optional<std::string> record = {};
};

class OutputReader {
 public:
  // InvalidArgument for a regular expression that is none or has no group.
  static absl::StatusOr<OutputReader> Make(const TextMetric& metric);
  ~OutputReader();
  OutputReader(OutputReader&&) noexcept;
  OutputReader& operator=(OutputReader&&) noexcept;

  Reading Read(const Arm& arm, const LaunchOutcome& outcome) const;

  // Units and better sides of all that Read() can return.
  std::vector<StoredMetric> Metrics() const;

 private:
  struct Pattern;
  OutputReader();
  Reading ReadText(const Arm& arm, const LaunchOutcome& outcome) const;

  TextMetric metric_;
  std::unique_ptr<Pattern> pattern_;
};

// mode, groups, fds, loops, datasize, tasks, as far as the lines of a hackbench
// name them.
std::map<std::string, std::string> ConfigOfLines(const std::string& output);

}  // namespace hackbench::results
