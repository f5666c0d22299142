// SPDX-License-Identifier: MIT
// A fixed layout of the address space, for runs that fork thousands of tasks.
//
// With address-space randomisation the heap stands up to 32 MiB behind the
// program's data, which is one page table more to build in every fork, and the
// layout is another one in each run. So a run of processes starts the program
// once more without it (ADDR_NO_RANDOMIZE, see personality(2)).
#pragma once

namespace hackbench {

// The words main was called with; they must outlive every call below.
void RememberArguments(char** argv);

// Starts the program again, with the same words, unless its layout is fixed
// already. Does not return then, so nothing may have been printed before. Where
// it is not allowed (seccomp filters of containers) the run goes on as it is.
void FixLayout();

}  // namespace hackbench
