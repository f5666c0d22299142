// SPDX-License-Identifier: MIT
// The address space that a process task carries, so that times compare.
//
// The reported time of every hackbench holds the exit of each task and the
// teardown of its address space. A worker of the rt-tests program, a plain C
// program with a shared libc, takes about 30 page faults in its life and gives
// back as many pages; a worker of ours, static and lean, about 9. Where faults
// are dear (guests without huge nested tables) that alone is a sixth of
// `hackbench -g 10`. With --footprint peer (the default) each process of ours
// maps and touches the difference; --footprint lean leaves it out.
#pragma once

#include <absl/status/status.h>

namespace hackbench {

// Maps what TouchPeerFootprint() touches; once, before the first fork.
absl::Status MapPeerFootprint();

// The pages that a peer's worker touches after the start: called by each
// process task between the start and its first message.
void TouchPeerFootprint();

}  // namespace hackbench
