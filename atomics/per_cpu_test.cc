// SPDX-License-Identifier: MIT
#include "atomics/per_cpu.h"

#include <gtest/gtest.h>

#include "atomics/this_cpu.h"
#include "atomics/tid.h"

namespace hackbench::atomics {
namespace {

struct Slot {
  uint64_t count = 0;
  uint32_t small = 0;
  DoubleWord pair;
};

template <uint32_t kCpus>
struct Table {
  alignas(kPerCpuAlign) char memory[PerCpu<Slot>::BytesFor(kCpus)] = {};
  PerCpu<Slot> slots = PerCpu<Slot>::Make(memory, kCpus);
};

TEST(PerCpuTest, SlotsShareNoCacheLine) {
  const Table<4> table;
  const auto distance = reinterpret_cast<char*>(&table.slots.ForCpu(1)) -
                        reinterpret_cast<char*>(&table.slots.ForCpu(0));
  EXPECT_GE(static_cast<size_t>(distance), kPerCpuAlign);
}

// CPU numbering with holes, and CPUs that appeared after the table was made.
TEST(PerCpuTest, IdsBeyondTheTableShareTheOverflowSlot) {
  const Table<6> table;
  EXPECT_EQ(&table.slots.ForCpuOrOverflow(5), &table.slots.ForCpu(5));
  EXPECT_EQ(&table.slots.ForCpuOrOverflow(6), &table.slots.Overflow());
  EXPECT_EQ(&table.slots.ForCpuOrOverflow(700), &table.slots.Overflow());
  EXPECT_EQ(&table.slots.ForCpuOrOverflow(~0U), &table.slots.Overflow());
}

TEST(PerCpuTest, CountsPossibleIdsAndNotCpus) {
  EXPECT_EQ(CpusInList("0"), 1U);
  EXPECT_EQ(CpusInList("0-3"), 4U);
  EXPECT_EQ(CpusInList("0-3,8-11"), 12U);
  EXPECT_EQ(CpusInList("5,700"), 701U);
  EXPECT_GE(PossibleCpus(), 1U);
}

template <class Ops>
class PerCpuOverflowTest : public testing::Test {};
using SafeOps = testing::Types<ThisCpuRseq, ThisCpuLocked>;
TYPED_TEST_SUITE(PerCpuOverflowTest, SafeOps);

// A table for no CPU at all: wherever this runs, its id is beyond the table.
TYPED_TEST(PerCpuOverflowTest, EveryOperationTakesTheOverflowSlot) {
  if (!TypeParam::WhyNot().empty()) GTEST_SKIP() << TypeParam::WhyNot();
  const Table<0> table;
  const PerCpu<Slot> slots = table.slots;
  TypeParam::Write(slots, &Slot::count, 5);
  TypeParam::Add(slots, &Slot::count, 2);
  EXPECT_EQ(TypeParam::Read(slots, &Slot::count), 7U);
  EXPECT_EQ(TypeParam::Xchg(slots, &Slot::count, 9), 7U);
  uint64_t expected = 8;
  EXPECT_FALSE(TypeParam::Cmpxchg(slots, &Slot::count, expected, 1));
  EXPECT_EQ(expected, 9U);
  EXPECT_TRUE(TypeParam::Cmpxchg(slots, &Slot::count, expected, 1));
  EXPECT_EQ(slots.Overflow().count, 1U);
  if (!TypeParam::WhyNoDouble().empty()) return;
  EXPECT_TRUE(TypeParam::CmpxchgDouble(slots, &Slot::pair, {0, 0}, {1, 2}));
  EXPECT_FALSE(TypeParam::CmpxchgDouble(slots, &Slot::pair, {0, 0}, {1, 2}));
  EXPECT_EQ(DoubleOps::Load(&slots.Overflow().pair), (DoubleWord{1, 2}));
}

TEST(TidTest, NoTwoCpusShareAnId) {
  const TidSequence tids(6);
  EXPECT_EQ(tids.First(5), 5U);
  EXPECT_EQ(tids.Next(5), 13U);
  EXPECT_EQ(tids.Cpu(tids.Next(tids.Next(5))), 5U);
  EXPECT_EQ(TidSequence(1).Next(0), 1U);
}

}  // namespace
}  // namespace hackbench::atomics
