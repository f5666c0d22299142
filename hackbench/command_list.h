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
int AbCommand(Words words);
int SweepCommand(Words words);
int CompareCommand(Words words);
int ListCommand(Words words);
int ShowCommand(Words words);
int TagCommand(Words words);
int GcCommand(Words words);
int MergeCommand(Words words);
int ExportCommand(Words words);
int ImportCommand(Words words);
int EnvCommand(Words words);
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
    CommandEntry{"ab", "two configurations or programs, launched in turns",
                 AbCommand},
    CommandEntry{"sweep", "every combination of settings against a baseline",
                 SweepCommand},
    CommandEntry{"compare", "arms and results, with verdicts, in any layout",
                 CompareCommand},
    CommandEntry{"list", "what is stored", ListCommand},
    CommandEntry{"show", "one result, its launches, plan or environment",
                 ShowCommand},
    CommandEntry{"tag", "name a result", TagCommand},
    CommandEntry{"gc", "remove results", GcCommand},
    CommandEntry{"merge", "results files into one", MergeCommand},
    CommandEntry{"export", "a result as JSON lines", ExportCommand},
    CommandEntry{"import", "JSON lines back into a results file",
                 ImportCommand},
    CommandEntry{"env", "what results depend on here", EnvCommand},
    CommandEntry{"help",
                 "this list; help COMMAND, help man, help completion (bash)",
                 HelpCommand},
};

}  // namespace hackbench
