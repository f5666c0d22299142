// SPDX-License-Identifier: MIT
// How much two equal arms differ on this machine beyond what the intervals
// already allow for, from repeated A/A experiments of the same configuration.
//
// tau^2 = max(0, variance of the differences - mean of their squared standard
// errors); the floor is 1.96 tau. Interleaved launches should give about 0.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "results/arm.h"
#include "results/store.h"

namespace hackbench::results {

struct AaDifference {
  double effect = 0;          // Hodges-Lehmann, relative.
  double standard_error = 0;  // Half-width of the 95 % interval / 1.96.
};

struct NoiseFloor {
  double floor = 0;
  int64_t experiments = 0;
  int64_t newest_ns = 0;
};

// Fewer are no measurement.
inline constexpr size_t kFewestAa = 10;

// Nothing for fewer than kFewestAa.
std::optional<double> FloorOf(std::span<const AaDifference> differences);

// From the finished A/A experiments of this host whose arms have this
// specification.
absl::StatusOr<std::optional<NoiseFloor>> FindNoiseFloor(
    Store& store, const std::string& host_id, const std::string& arm_key);

// What two arms must share so that one's floor holds for the other: the command
// without labels.
std::string FloorKey(const Arm& arm);

}  // namespace hackbench::results
