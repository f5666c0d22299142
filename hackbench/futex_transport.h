// SPDX-License-Identifier: MIT
// No transport at all: tasks of the user plane sleep on futexes in the memory
// they share. Needs no descriptor, so it knows no limit of them.
#pragma once

#include "hackbench/transport.h"

namespace hackbench {

class FutexTransport final : public Transport {
 public:
  static constexpr std::string_view kName = "futex";
  static constexpr std::string_view kSummary =
      "no descriptors, sleepers wait on a futex; user plane only";
  static constexpr TransportTraits kTraits{.atomic_bytes = 32768,
                                           .model = MessageModel::kSocket,
                                           .has_descriptors = false};

  explicit FutexTransport(const TransportOptions&) {}

  absl::Status Open(Channel&) override { return absl::OkStatus(); }
};

}  // namespace hackbench
