// SPDX-License-Identifier: MIT
// What a result depends on beside its configuration: the kernel and its
// settings, the CPUs, memory, limits and isolation, and this program's build.
//
// Every field has a value and where it was read, or no value and the reason. A
// field is never guessed: HZ comes from the kernel's configuration or from the
// resolution of CLOCK_MONOTONIC_COARSE (never from sysconf, whose 100 is a
// constant), the preemption mode from the running kernel where it may be read
// and is marked as unverified where it may not.
//
// Only what holds from launch to launch is here; what moves (load, steal,
// pressure) is in run_delta.h. So two equal environments have equal keys.
#pragma once

#include <absl/status/statusor.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hackbench::results {

struct EnvironmentField {
  std::string name;  // "kernel.hz"
  std::optional<std::string> value;
  std::string source;  // Of the value; without one, why it is unknown.

  bool operator==(const EnvironmentField&) const = default;
};

class Environment {
 public:
  // Reads the machine. `root` stands before every path, for tests.
  static Environment Read(const std::string& root = "");

  static absl::StatusOr<Environment> FromJson(std::string_view json);
  // Canonical: fields by name, no blanks.
  std::string ToJson() const;
  // The key of its content.
  std::string Id() const;

  // The value, or nothing when unknown or no such field.
  std::optional<std::string> Get(std::string_view name) const;
  const EnvironmentField* Find(std::string_view name) const;

  void Add(EnvironmentField field);
  const std::vector<EnvironmentField>& fields() const { return fields_; }

  // Without what may identify the machine or hold a secret: the command line
  // of the kernel, boot id, host.
  Environment Redacted() const;

 private:
  std::vector<EnvironmentField> fields_;  // By name.
};

struct EnvironmentDifference {
  std::string name;
  std::string a;  // The value, or "unknown (reason)".
  std::string b;
};

// Fields that differ. A field that is unknown on both sides does not.
std::vector<EnvironmentDifference> Diff(const Environment& a,
                                        const Environment& b);

enum class Severity { kWarning, kError };

struct EnvironmentFinding {
  Severity severity;
  std::string text;  // What is the matter.
  std::string fix;   // What to do about it; may be empty.
};

// What makes figures of this machine doubtful, with a way out.
std::vector<EnvironmentFinding> Check(const Environment& environment);

// HZ by the coarse clock's resolution.
std::optional<int> HzFromCoarseClock();

// Identifies the machine without its machine-id, and a label for people.
std::string HostId(const std::string& root = "");
std::string HostLabel();

}  // namespace hackbench::results
