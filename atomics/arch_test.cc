// SPDX-License-Identifier: MIT
// The contract of arch.h for one-word operations, over every way this build has
// of doing them. Built a second time with the generic backend forced.
#include "atomics/arch.h"

#include <gtest/gtest.h>

#include <limits>
#include <tuple>

#include "atomics/cmpxchg.h"
#include "atomics/pin.h"
#include "atomics/test_workers.h"

namespace hackbench::atomics {
namespace {

// The compiled ones of a list; those that are absent have a reason instead.
template <class... Ops>
using Compiled = decltype(std::tuple_cat(
    std::declval<std::conditional_t<Ops::kCompiled, std::tuple<Ops>,
                                    std::tuple<>>>()...));
template <class Tuple>
struct AsTypes;
template <class... T>
struct AsTypes<std::tuple<T...>> {
  using Types = testing::Types<T...>;
};

template <class Ops>
class WordOpsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!Ops::WhyNot().empty()) GTEST_SKIP() << Ops::WhyNot();
  }
};
using AllWordOps = AsTypes<
    Compiled<WordOps, InstructionOps, LoadLinkedOps, generic::WordOps>>::Types;
TYPED_TEST_SUITE(WordOpsTest, AllWordOps);

// Values that differ in the bits a sloppy sign or zero extension would lose.
template <class T>
std::vector<T> TellingValues() {
  using Limits = std::numeric_limits<T>;
  return {T{0},
          T{1},
          static_cast<T>(-1),
          static_cast<T>(-2),
          Limits::min(),
          Limits::max(),
          static_cast<T>(Limits::max() / 2 + 1)};
}

template <class Ops, Order kOrder, class T>
void ExpectCmpxchgTellsValuesApart() {
  for (const T stored : TellingValues<T>()) {
    for (const T asked : TellingValues<T>()) {
      T word = stored;
      T expected = asked;
      const T desired = static_cast<T>(stored + 3);
      const bool equal = Cmpxchg<kOrder, Ops>(&word, expected, desired);
      EXPECT_EQ(equal, stored == asked) << +stored << " " << +asked;
      EXPECT_EQ(word, equal ? desired : stored) << +stored << " " << +asked;
      EXPECT_EQ(expected, stored);
    }
  }
}

template <class Ops, Order kOrder, class T>
void ExpectOldValuesComeBack() {
  for (const T stored : TellingValues<T>()) {
    T word = stored;
    EXPECT_EQ((Xchg<kOrder, Ops>(&word, static_cast<T>(-5))), stored);
    EXPECT_EQ(word, static_cast<T>(-5));
    EXPECT_EQ((FetchAdd<kOrder, Ops>(&word, T{7})), static_cast<T>(-5));
    EXPECT_EQ(word, T{2});
    EXPECT_EQ((FetchAdd<kOrder, Ops>(&word, static_cast<T>(-1))), T{2});
    EXPECT_EQ(word, T{1});
  }
}

template <class Check>
void ForEachSize(Check check) {
  check(int8_t{});
  check(uint8_t{});
  check(int16_t{});
  check(uint16_t{});
  check(int32_t{});
  check(uint32_t{});
  check(int64_t{});
  check(uint64_t{});
}

TYPED_TEST(WordOpsTest, CmpxchgTellsValuesApartInEverySizeAndOrder) {
  ForEachSize([]<class T>(T) {
    ExpectCmpxchgTellsValuesApart<TypeParam, Order::kRelaxed, T>();
    ExpectCmpxchgTellsValuesApart<TypeParam, Order::kAcquire, T>();
    ExpectCmpxchgTellsValuesApart<TypeParam, Order::kRelease, T>();
    ExpectCmpxchgTellsValuesApart<TypeParam, Order::kFull, T>();
  });
}

TYPED_TEST(WordOpsTest, XchgAndFetchAddHandBackTheOldValue) {
  ForEachSize([]<class T>(T) {
    ExpectOldValuesComeBack<TypeParam, Order::kRelaxed, T>();
    ExpectOldValuesComeBack<TypeParam, Order::kAcquire, T>();
    ExpectOldValuesComeBack<TypeParam, Order::kRelease, T>();
    ExpectOldValuesComeBack<TypeParam, Order::kFull, T>();
  });
}

TYPED_TEST(WordOpsTest, LocalFormsDoTheSame) {
  ForEachSize([]<class T>(T) {
    for (const T stored : TellingValues<T>()) {
      T word = stored;
      T expected = static_cast<T>(stored + 1);
      EXPECT_FALSE(CmpxchgLocal<TypeParam>(&word, expected, T{9}));
      EXPECT_EQ(expected, stored);
      EXPECT_TRUE(CmpxchgLocal<TypeParam>(&word, expected, T{9}));
      EXPECT_EQ(XchgLocal<TypeParam>(&word, static_cast<T>(-3)), T{9});
      EXPECT_EQ(FetchAddLocal<TypeParam>(&word, T{4}), static_cast<T>(-3));
      EXPECT_EQ(word, T{1});
    }
  });
}

TYPED_TEST(WordOpsTest, SmallWordsLeaveTheirNeighboursAlone) {
  for (size_t place = 0; place < 8; ++place) {
    alignas(8) uint8_t bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    uint8_t expected = bytes[place];
    EXPECT_TRUE(
        (Cmpxchg<Order::kFull, TypeParam>(&bytes[place], expected, 0xff)));
    EXPECT_EQ((FetchAdd<Order::kFull, TypeParam>(&bytes[place], 2)), 0xff);
    for (size_t other = 0; other < 8; ++other) {
      EXPECT_EQ(bytes[other], other == place ? 1 : other + 1) << place;
    }
  }
}

TYPED_TEST(WordOpsTest, TakesPointersAndEnums) {
  int objects[2] = {};
  int* head = &objects[0];
  int* expected = &objects[0];
  EXPECT_TRUE((Cmpxchg<Order::kFull, TypeParam>(&head, expected, &objects[1])));
  EXPECT_EQ((Xchg<Order::kFull, TypeParam>(&head, nullptr)), &objects[1]);
  Order order = Order::kFull;
  EXPECT_EQ((Xchg<Order::kFull, TypeParam>(&order, Order::kRelaxed)),
            Order::kFull);
}

// Neighbouring bytes of one line, so that small words meet inside their word.
struct Counters {
  uint64_t by_add = 0;
  uint64_t by_cmpxchg = 0;
  uint16_t small[2] = {};
};

template <class Ops>
void CountUp(Counters& counters, int worker, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    FetchAdd<Order::kRelaxed, Ops>(&counters.by_add, 1);
    // relaxed: a first guess, which the exchange judges.
    uint64_t seen = __atomic_load_n(&counters.by_cmpxchg, __ATOMIC_RELAXED);
    while (!Cmpxchg64<Order::kRelaxed, Ops>(&counters.by_cmpxchg, seen,
                                            seen + 1)) {
    }
    FetchAdd<Order::kRelaxed, Ops>(&counters.small[worker], 1);
  }
}

void ExpectExact(const Counters& counters, int rounds) {
  EXPECT_EQ(counters.by_add, 2U * rounds);
  EXPECT_EQ(counters.by_cmpxchg, 2U * rounds);
  EXPECT_EQ(counters.small[0], static_cast<uint16_t>(rounds));
  EXPECT_EQ(counters.small[1], static_cast<uint16_t>(rounds));
}

TYPED_TEST(WordOpsTest, CountsExactlyAcrossThreads) {
  Counters counters;
  const int rounds = Rounds(40000);
  RunInThreads(
      2, [&](int worker) { CountUp<TypeParam>(counters, worker, rounds); });
  ExpectExact(counters, rounds);
}

TYPED_TEST(WordOpsTest, CountsExactlyAcrossProcesses) {
  Shared<Counters> counters;
  const int rounds = Rounds(40000);
  EXPECT_TRUE(RunInProcesses(
      2, [&](int worker) { CountUp<TypeParam>(*counters, worker, rounds); }));
  ExpectExact(*counters, rounds);
}

TEST(ArchTest, WhatIsAbsentSaysWhy) {
  EXPECT_EQ(WordOps::WhyNot(), "");
  if (!InstructionOps::kCompiled) {
    EXPECT_NE(InstructionOps::WhyNot(), "");
  }
  if (!LoadLinkedOps::kCompiled) {
    EXPECT_NE(LoadLinkedOps::WhyNot(), "");
  }
  if (!Rseq::kCompiled) {
    EXPECT_NE(Rseq::WhyNot(), "");
  }
}

TEST(ArchTest, CycleCounterMovesForward) {
  const uint64_t before = Cpu::ReadCycles();
  uint64_t after = before;
  // The counter may tick slower than the loop turns.
  while (after == before) after = Cpu::ReadCycles();
  EXPECT_GT(after, before);
}

template <class Instruction>
void ExpectsTheCpuWeAreOn() {
  if (!Instruction::WhyNot().empty()) {
    GTEST_SKIP() << Instruction::WhyNot();
  }
  for (const int cpu : AllowedCpus()) {
    const PinnedScope pinned(cpu);
    if (!pinned.pinned()) continue;
    // The kernel keeps twelve bits of it.
    EXPECT_EQ(Instruction::Read(), static_cast<uint32_t>(cpu) & 0xfff);
  }
}
TEST(ArchTest, RdpidReadsTheCpuWeAreOn) { ExpectsTheCpuWeAreOn<Rdpid>(); }
TEST(ArchTest, RdtscpReadsTheCpuWeAreOn) { ExpectsTheCpuWeAreOn<Rdtscp>(); }

TEST(ArchTest, FactsHaveNamesAndReasons) {
  EXPECT_FALSE(Cpu::kName.empty());
  EXPECT_FALSE(Cpu::kCycleUnit.empty());
  for (const Feature& feature : Cpu::Features()) {
    EXPECT_FALSE(feature.name.empty());
    EXPECT_FALSE(feature.note.empty()) << feature.name;
  }
}

#ifdef HACKBENCH_FORCE_GENERIC
TEST(ArchTest, ForcedGenericIsGeneric) {
  EXPECT_EQ(Cpu::kName, "generic");
  EXPECT_FALSE(Rseq::kCompiled);
}
#endif

}  // namespace
}  // namespace hackbench::atomics
