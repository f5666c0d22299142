// SPDX-License-Identifier: MIT
// The contract of the double word, over every way this build has of doing it.
// Each case but the last two is a bug that somebody's kernel once had.
#include <gtest/gtest.h>

#include <array>
#include <tuple>

#include "atomics/bit_lock.h"
#include "atomics/cmpxchg.h"
#include "atomics/test_workers.h"

namespace hackbench::atomics {
namespace {

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
class DoubleOpsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!Ops::WhyNot().empty()) GTEST_SKIP() << Ops::WhyNot();
  }
};
using AllDoubleOps =
    AsTypes<Compiled<DoubleOps, DoubleInstructionOps, DoubleLoadLinkedOps,
                     generic::DoubleOps>>::Types;
TYPED_TEST_SUITE(DoubleOpsTest, AllDoubleOps);

DoubleWord FlipBit(DoubleWord value, int bit) {
  uint64_t& half = bit < 64 ? value.first : value.second;
  half ^= uint64_t{1} << (bit % 64);
  return value;
}

template <class Ops>
bool IsReserved(int bit) {
  return bit >= 64 && (Ops::kReservedSecondBits >> (bit - 64) & 1) != 0;
}

// A result cut to 32 bits, or a compare of one half only, passes for most
// pairs.
template <class Ops, Order kOrder>
void ExpectEachBitTellsApart() {
  const DoubleWord stored = {0x0123456789abcdef, 0x7edcba9876543210};
  const DoubleWord desired = {1, 2};
  for (int bit = 0; bit < 128; ++bit) {
    if (IsReserved<Ops>(bit)) continue;
    DoubleWord word = stored;
    EXPECT_FALSE(
        (CmpxchgDouble<kOrder, Ops>(&word, FlipBit(stored, bit), desired)));
    EXPECT_EQ(Ops::Load(&word), stored) << bit;
    EXPECT_TRUE(
        (CmpxchgDouble<kOrder, Ops>(&word, stored, FlipBit(stored, bit))));
    EXPECT_EQ(Ops::Load(&word), FlipBit(stored, bit)) << bit;
  }
}

TYPED_TEST(DoubleOpsTest, SeesADifferenceInAnySingleBit) {
  ExpectEachBitTellsApart<TypeParam, Order::kRelaxed>();
  ExpectEachBitTellsApart<TypeParam, Order::kAcquire>();
  ExpectEachBitTellsApart<TypeParam, Order::kRelease>();
  ExpectEachBitTellsApart<TypeParam, Order::kFull>();
}

// If the assembly names eight of the sixteen bytes, the compiler keeps the
// other half in a register across the exchange.
TYPED_TEST(DoubleOpsTest, ReadsBothHalvesAfreshAfterAnExchange) {
  DoubleWord word = {10, 20};
  const uint64_t first = word.first;
  const uint64_t second = word.second;
  ASSERT_TRUE(
      (CmpxchgDouble<Order::kRelaxed, TypeParam>(&word, {10, 20}, {11, 21})));
  EXPECT_EQ(word.first, first + 1);
  EXPECT_EQ(word.second, second + 1);
  ASSERT_TRUE(CmpxchgDoubleLocal<TypeParam>(&word, {11, 21}, {12, 22}));
  EXPECT_EQ(word.first, first + 2);
  EXPECT_EQ(word.second, second + 2);
}

// Hand-written sequences have clobbered registers they did not declare; here
// more values are alive across the exchange than there are registers.
TYPED_TEST(DoubleOpsTest, LeavesEveryLiveValueAlone) {
  DoubleWord word = {0, 0};
  std::array<uint64_t, 24> live{};
  for (size_t i = 0; i < live.size(); ++i) live[i] = i * 0x9e3779b97f4a7c15;
  for (uint64_t round = 0; round < 100; ++round) {
    ASSERT_TRUE((CmpxchgDouble<Order::kFull, TypeParam>(
        &word, {round, 2 * round}, {round + 1, 2 * round + 2})));
    for (uint64_t& value : live) value += word.first;
  }
  for (size_t i = 0; i < live.size(); ++i) {
    EXPECT_EQ(live[i], i * 0x9e3779b97f4a7c15 + 5050) << i;
  }
}

// Both halves count; a torn exchange leaves them apart for ever.
template <class Ops>
void CountBothHalves(DoubleWord& word, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    DoubleWord seen;
    do {
      seen = Ops::Load(&word);
    } while (!CmpxchgDouble<Order::kFull, Ops>(
        &word, seen, {seen.first + 1, seen.second + 3}));
  }
}

TYPED_TEST(DoubleOpsTest, CountsExactlyAcrossThreads) {
  DoubleWord word;
  const int rounds = Rounds(40000);
  RunInThreads(2, [&](int) { CountBothHalves<TypeParam>(word, rounds); });
  EXPECT_EQ(TypeParam::Load(&word), (DoubleWord{2U * rounds, 6U * rounds}));
}

TYPED_TEST(DoubleOpsTest, CountsExactlyAcrossProcesses) {
  Shared<DoubleWord> word;
  const int rounds = Rounds(40000);
  EXPECT_TRUE(RunInProcesses(
      2, [&](int) { CountBothHalves<TypeParam>(*word, rounds); }));
  EXPECT_EQ(TypeParam::Load(&*word), (DoubleWord{2U * rounds, 6U * rounds}));
}

TEST(DoubleOpsTest, WhatIsAbsentSaysWhy) {
  if (!DoubleInstructionOps::kCompiled) {
    EXPECT_NE(DoubleInstructionOps::WhyNot(), "");
  }
  if (!DoubleLoadLinkedOps::kCompiled) {
    EXPECT_NE(DoubleLoadLinkedOps::WhyNot(), "");
  }
}

// What a 32-bit CPU without an eight-byte exchange would run.
TEST(BitLockTest, CountsExactlyAcrossProcesses) {
  Shared<uint64_t> word;
  const int rounds = Rounds(40000);
  EXPECT_TRUE(RunInProcesses(2, [&](int) {
    for (int i = 0; i < rounds; ++i) {
      uint64_t seen = PeekBit(&*word);
      while (!BitLockedCmpxchg64(&*word, seen, seen + 0x100000001)) {
      }
    }
  }));
  EXPECT_EQ(PeekBit(&*word), 2U * rounds * uint64_t{0x100000001});
}

TEST(BitLockTest, FailedCompareHandsBackWhatItSaw) {
  uint64_t word = 7;
  uint64_t expected = 8;
  EXPECT_FALSE(BitLockedCmpxchg64(&word, expected, 9));
  EXPECT_EQ(expected, 7U);
  EXPECT_EQ(word, 7U);
}

}  // namespace
}  // namespace hackbench::atomics
