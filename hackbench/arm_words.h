// SPDX-License-Identifier: MIT
// From what a person declares ("lock=mcs,groups=10", or a whole command) to an
// arm that can be started, checked against the option table before anything
// runs.
#pragma once

#include <absl/status/statusor.h>

#include <map>
#include <span>
#include <string>
#include <vector>

#include "results/arm.h"

namespace hackbench {

// This program with a workload and settings on top: each key is a long option
// of a run ("lock", "groups"; a switch takes on or off), or "mode". The words
// are those of `hackbench …` in any of its grammars.
absl::StatusOr<results::Arm> MakeRunArm(
    const std::string& label, std::span<const std::string> workload,
    const std::map<std::string, std::string>& settings);

// Any program. Without shell characters the command is split at blanks (quotes
// group) and started directly; with them it goes to /bin/sh. A hackbench's own
// command line is understood, so that what it then says it runs can be checked.
absl::StatusOr<results::Arm> MakeCommandArm(const std::string& label,
                                            const std::string& command);

}  // namespace hackbench
