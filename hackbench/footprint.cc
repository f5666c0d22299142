// SPDX-License-Identifier: MIT
#include "hackbench/footprint.h"

namespace hackbench {

absl::Status MapPeerFootprint() { return absl::OkStatus(); }

void TouchPeerFootprint() {}

}  // namespace hackbench
