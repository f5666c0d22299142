// SPDX-License-Identifier: MIT
// this_cpu operations lose nothing, whoever shares the area and however the
// workers are moved about; and code that lacks the abort path does.
//
// While two workers count, the test moves them from CPU to CPU and signals
// them; the signal handler uses the same slots. A window of nops before the
// commit makes sure that interruptions land inside. The mutant runs through the
// same code and must be convicted.
#include "atomics/this_cpu.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>

#include <cstring>

#include "atomics/test_workers.h"
#include "atomics/tid.h"

namespace hackbench::atomics {
namespace {

struct Slot {
  uint64_t by_add = 0;
  uint64_t by_cmpxchg = 0;
  uint64_t by_xchg = 0;
  uint32_t small = 0;
  DoubleWord pair;
};

constexpr uint32_t kMaxCpus = 256;

// What the workers share: the slots, and how far each of them is.
struct Arena {
  alignas(kPerCpuAlign) char slots[PerCpu<Slot>::BytesFor(kMaxCpus)] = {};
  uint64_t xchg_left[2] = {};  // Counts taken out of slots and never put back.
  uint64_t handled[2] = {};    // Signals the worker answered.
  pid_t worker[2] = {};        // Thread id while it works.
  uint32_t done[2] = {};
};

constexpr unsigned kWindowNops = 1500;
using WideRseq = BasicThisCpuRseq<BasicRseq<true, kWindowNops>>;
using MutantRseq = BasicThisCpuRseq<BasicRseq<false, kWindowNops>>;

// One count in each of the ways. xchg takes a slot's count out, adds its own
// and puts it into whatever slot it then stands at: the sum is kept if no
// exchange is lost or doubled.
template <class Ops>
void CountOnce(PerCpu<Slot> area) {
  Ops::Add(area, &Slot::by_add, 1);
  Ops::Add(area, &Slot::small, 1);
  uint64_t seen = Ops::Read(area, &Slot::by_cmpxchg);
  while (!Ops::Cmpxchg(area, &Slot::by_cmpxchg, seen, seen + 1)) {
  }
  uint64_t held = 1;
  while (held != 0) {
    held += Ops::Xchg(area, &Slot::by_xchg, 0);
    held = Ops::Xchg(area, &Slot::by_xchg, held);
  }
}

template <class Ops>
void CountPair(PerCpu<Slot> area) {
  if (!Ops::WhyNoDouble().empty()) return;
  for (;;) {
    const DoubleWord seen =
        DoubleOps::Load(&area.ForCpuOrOverflow(Cpu::CurrentCpu()).pair);
    const DoubleWord next = {seen.first + 1, seen.second + 3};
    if (Ops::CmpxchgDouble(area, &Slot::pair, seen, next)) return;
  }
}

// Set before the handler is installed.
void (*count_in_handler)() = nullptr;
thread_local uint64_t signals_handled = 0;
thread_local volatile sig_atomic_t is_leaving = 0;

void OnSignal(int) {
  if (is_leaving != 0) return;
  count_in_handler();
  ++signals_handled;
}

Arena* handler_arena = nullptr;

template <class Ops>
void CountInHandler() {
  CountOnce<Ops>(PerCpu<Slot>(handler_arena->slots, kMaxCpus));
}

template <class Ops>
class Hammer {
 public:
  Hammer() : area_(PerCpu<Slot>::Make(arena_->slots, kMaxCpus)) {
    handler_arena = &*arena_;
    count_in_handler = &CountInHandler<Ops>;
    struct sigaction action = {};
    action.sa_handler = OnSignal;
    action.sa_flags = SA_RESTART;
    sigaction(SIGUSR1, &action, &before_);
  }
  ~Hammer() { sigaction(SIGUSR1, &before_, nullptr); }
  Hammer(const Hammer&) = delete;
  Hammer& operator=(const Hammer&) = delete;

  // The disturber is a thread of this process in both cases.
  void RunInThreads(int rounds) {
    std::thread disturber([&] { Disturb(); });
    atomics::RunInThreads(2, [&](int worker) { CountUp(worker, rounds); });
    disturber.join();
  }
  bool RunInProcesses(int rounds) {
    std::thread disturber([&] { Disturb(); });
    const bool ok = atomics::RunInProcesses(
        2, [&](int worker) { CountUp(worker, rounds); });
    disturber.join();
    return ok;
  }

  // How far the totals are from what was counted; 0 when nothing was lost.
  uint64_t Lost(int rounds) {
    const uint64_t counted =
        2U * rounds + arena_->handled[0] + arena_->handled[1];
    Slot sum;
    area_.ForEach([&](const Slot& slot) {
      sum.by_add += slot.by_add;
      sum.small += slot.small;
      sum.by_cmpxchg += slot.by_cmpxchg;
      sum.by_xchg += slot.by_xchg;
      const DoubleWord pair = DoubleOps::Load(&slot.pair);
      sum.pair.first += pair.first;
      sum.pair.second += pair.second;
    });
    const uint64_t pairs = Ops::WhyNoDouble().empty() ? 2U * rounds : 0;
    return Distance(sum.by_add, counted) + Distance(sum.small, counted) +
           Distance(sum.by_cmpxchg, counted) + Distance(sum.by_xchg, counted) +
           Distance(sum.pair.first, pairs) +
           Distance(sum.pair.second, 3 * pairs);
  }

  [[nodiscard]] uint64_t Signals() {
    return arena_->handled[0] + arena_->handled[1];
  }

 private:
  static uint64_t Distance(uint64_t a, uint64_t b) {
    return a > b ? a - b : b - a;
  }

  void CountUp(int worker, int rounds) {
    signals_handled = 0;
    is_leaving = 0;
    __atomic_store_n(&arena_->worker[worker], gettid(), __ATOMIC_RELEASE);
    for (int i = 0; i < rounds; ++i) {
      CountOnce<Ops>(area_);
      CountPair<Ops>(area_);
    }
    Leave(worker);
  }

  // Signals stay out from here on: none may arrive at a worker that has ended,
  // nor count after its count was read. The flag is for the thread sanitizer,
  // which hands on signals later than they came, also blocked ones.
  void Leave(int worker) {
    is_leaving = 1;
    sigset_t usr1;
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &usr1, nullptr);
    arena_->handled[worker] = signals_handled;
    __atomic_store_n(&arena_->done[worker], 1, __ATOMIC_RELEASE);
  }

  void Disturb() {
    uint32_t turn = 0;
    while (!Done(0) || !Done(1)) {
      for (int worker = 0; worker < 2; ++worker) {
        const pid_t tid =
            __atomic_load_n(&arena_->worker[worker], __ATOMIC_ACQUIRE);
        if (tid == 0 || Done(worker)) continue;
        MoveTo(tid, turn + static_cast<uint32_t>(worker));
        // The worker may leave meanwhile; the signal is then blocked or
        // refused.
        Signal(tid);
      }
      ++turn;
      usleep(50);
    }
  }

  bool Done(int worker) {
    return __atomic_load_n(&arena_->done[worker], __ATOMIC_ACQUIRE) != 0;
  }

  // Alternately each CPU we may use, and all of them.
  static void MoveTo(pid_t tid, uint32_t turn) {
    static const cpu_set_t kAllowed = [] {
      cpu_set_t set;
      sched_getaffinity(0, sizeof(set), &set);
      return set;
    }();
    const int count = CPU_COUNT(&kAllowed);
    int skip = static_cast<int>(turn % static_cast<uint32_t>(count));
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &kAllowed) && skip-- == 0) CPU_SET(cpu, &one);
    }
    sched_setaffinity(tid, sizeof(one), turn % 5 == 0 ? &kAllowed : &one);
  }

  // tkill: a thread of this process and a child's only thread alike.
  static void Signal(pid_t tid) { syscall(SYS_tkill, tid, SIGUSR1); }

  Shared<Arena> arena_;
  PerCpu<Slot> area_;
  struct sigaction before_ = {};
};

template <class Ops>
class ThisCpuTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!Ops::WhyNot().empty()) GTEST_SKIP() << Ops::WhyNot();
  }
};
using SafeOps = testing::Types<ThisCpuRseq, WideRseq, ThisCpuLocked>;
TYPED_TEST_SUITE(ThisCpuTest, SafeOps);

TYPED_TEST(ThisCpuTest, LosesNothingBetweenThreads) {
  Hammer<TypeParam> hammer;
  const int rounds = Rounds(6000);
  hammer.RunInThreads(rounds);
  EXPECT_EQ(hammer.Lost(rounds), 0U);
  this->RecordProperty("signals", static_cast<int>(hammer.Signals()));
}

TYPED_TEST(ThisCpuTest, LosesNothingBetweenProcesses) {
  Hammer<TypeParam> hammer;
  const int rounds = Rounds(6000);
  EXPECT_TRUE(hammer.RunInProcesses(rounds));
  EXPECT_EQ(hammer.Lost(rounds), 0U);
}

TEST(ThisCpuMutantTest, WithoutTheAbortPathIsConvictedBetweenThreads) {
  if (!MutantRseq::WhyNot().empty()) GTEST_SKIP() << MutantRseq::WhyNot();
  uint64_t lost = 0;
  for (int attempt = 0; attempt < 20 && lost == 0; ++attempt) {
    Hammer<MutantRseq> hammer;
    hammer.RunInThreads(8000);
    lost = hammer.Lost(8000);
  }
  EXPECT_NE(lost, 0U);
}

TEST(ThisCpuMutantTest, WithoutTheAbortPathIsConvictedBetweenProcesses) {
  if (!MutantRseq::WhyNot().empty()) GTEST_SKIP() << MutantRseq::WhyNot();
  uint64_t lost = 0;
  for (int attempt = 0; attempt < 20 && lost == 0; ++attempt) {
    Hammer<MutantRseq> hammer;
    EXPECT_TRUE(hammer.RunInProcesses(8000));
    lost = hammer.Lost(8000);
  }
  EXPECT_NE(lost, 0U);
}

TEST(ThisCpuChoiceTest, SaysWhichFormItChoseAndWhy) {
  const std::string text = DescribeThisCpu();
  const std::string_view chosen =
      WithThisCpu([](auto ops) { return ops.kName; });
  EXPECT_EQ(text.substr(0, chosen.size()), chosen);
  EXPECT_FALSE(kRseqRegistration.reason.empty());
}

TEST(ThisCpuUnsafeTest, DoesThePlainThing) {
  Shared<Arena> arena;
  const auto area = PerCpu<Slot>::Make(arena->slots, kMaxCpus);
  ThisCpuUnsafe::Write(area, &Slot::by_add, 4);
  ThisCpuUnsafe::Add(area, &Slot::by_add, 3);
  // The sum, because the thread may have been moved in between.
  uint64_t sum = 0;
  area.ForEach([&](const Slot& slot) { sum += slot.by_add; });
  EXPECT_EQ(sum, 7U);
}

}  // namespace
}  // namespace hackbench::atomics
