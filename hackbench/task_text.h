// SPDX-License-Identifier: MIT
// Marks what a process task runs up to its start. The linker gathers it beside
// the program's data (hackbench/cmake/task_text.ld), which spares every fork of
// a run's setup a page table and a window of the page cache.
#pragma once

#define HACKBENCH_TASK_TEXT [[gnu::section("task_text")]]
