// SPDX-License-Identifier: MIT
// The pages that a process task touches on its way out, so that times compare.
//
// The reported time of every hackbench holds the exit of each task and the
// teardown of its address space. A worker of rt-tests, a C program with shared
// libraries, takes 15 page faults between the start and its end, nearly all in
// exit(3); a worker of ours, static and leaving by _exit, takes 3. Where faults
// are dear (guests of a hypervisor) that alone is a sixth of `hackbench -g 10`.
// With --footprint peer (the default) each process of ours takes the
// difference: windows of the program file and pages that it writes, as exit(3)
// does. --footprint lean leaves it out.
#pragma once

namespace hackbench {

// In a process task, after its last message.
void TouchPeerFootprint();

}  // namespace hackbench
