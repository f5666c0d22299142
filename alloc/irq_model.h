// SPDX-License-Identifier: MIT
// What stands for local_irq_save() and local_irq_restore() around an engine's
// paths. User code cannot disable interrupts; a model pays a price like theirs
// and excludes nobody. Every table names the model.
#pragma once

#include <signal.h>

#include <string>
#include <string_view>

#include "atomics/arch.h"

namespace hackbench::alloc {

struct NoIrq {
  static constexpr std::string_view kName = "none";
  static std::string WhyNot() { return {}; }
  struct Section {};
};

// pushf and popf: what the kernel executes, less cli.
struct PopfIrq {
  static constexpr std::string_view kName = "popf";
  static std::string WhyNot() {
    if (atomics::Cpu::kHasFlags) return {};
    return "this CPU has no flags register that user code saves and restores; "
           "use the irq model flag";
  }
  class Section {
   public:
    Section() : flags_(atomics::Cpu::SaveFlags()) {}
    ~Section() { atomics::Cpu::RestoreFlags(flags_); }
    Section(const Section&) = delete;
    Section& operator=(const Section&) = delete;

   private:
    uint64_t flags_;
  };
};

// A counter that a signal handler would look at and put its work off.
inline thread_local constinit uint32_t irq_depth = 0;
struct FlagIrq {
  static constexpr std::string_view kName = "flag";
  static std::string WhyNot() { return {}; }
  class Section {
   public:
    // volatile: the handler of this very thread reads it.
    Section() { Depth() = Depth() + 1; }
    ~Section() { Depth() = Depth() - 1; }
    Section(const Section&) = delete;
    Section& operator=(const Section&) = delete;

   private:
    static volatile uint32_t& Depth() { return irq_depth; }
  };
};

// Signals blocked: two system calls.
struct SigmaskIrq {
  static constexpr std::string_view kName = "sigmask";
  static std::string WhyNot() { return {}; }
  class Section {
   public:
    Section() {
      sigset_t all;
      sigfillset(&all);
      pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~Section() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    Section(const Section&) = delete;
    Section& operator=(const Section&) = delete;

   private:
    sigset_t before_;
  };
};

}  // namespace hackbench::alloc
