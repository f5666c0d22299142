// SPDX-License-Identifier: MIT
// Every command, one line each: what the first word may be beside the old
// grammars.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace hackbench {

using Words = std::span<const std::string_view>;

int ExplicitRunCommand(Words words);
int PerfCommand(Words words);
int AtomicsCommand(Words words);
int KmallocCommand(Words words);
int LocksCommand(Words words);
int LockrefCommand(Words words);
int PathwalkCommand(Words words);
int SizeCommand(Words words);
int HelpCommand(Words words);

struct CommandEntry {
  std::string_view name;
  std::string_view summary;
  int (*run)(Words words_after_name);
};

inline constexpr std::array kCommandList = {
    CommandEntry{"run", "one run, as without a command", ExplicitRunCommand},
    CommandEntry{"sched", "sched messaging: one run with perf bench's options",
                 PerfCommand},
    CommandEntry{"atomics", "cycles of xchg, cmpxchg and per-CPU operations",
                 AtomicsCommand},
    CommandEntry{"kmalloc", "cycles of kmalloc and kfree, engine by engine",
                 KmallocCommand},
    CommandEntry{"locks", "what each lock costs, from one task to thousands",
                 LocksCommand},
    CommandEntry{"lockref",
                 "a count and its lock in one word, before and after",
                 LockrefCommand},
    CommandEntry{"pathwalk", "the kernel's lockref test: stat() for a while",
                 PathwalkCommand},
    CommandEntry{"size", "bytes of code per lock and preemption model",
                 SizeCommand},
    CommandEntry{"help",
                 "this list; help COMMAND, help man, help completion (bash)",
                 HelpCommand},
};

}  // namespace hackbench
