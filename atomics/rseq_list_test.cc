// SPDX-License-Identifier: MIT
// The sequences on lists, on an area of our own that no kernel watches: what
// they do to a list when they commit, and that they leave it alone on any other
// CPU. This runs under emulators too.
#include <gtest/gtest.h>

#include "atomics/arch.h"

namespace hackbench::atomics {
namespace {

constexpr uint32_t kHere = 3;
constexpr uint32_t kElsewhere = 4;

uint64_t Word(const void* pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

class RseqListTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!Rseq::kCompiled) GTEST_SKIP() << Rseq::WhyNot();
    area_.cpu_id_start = kHere;
    area_.cpu_id = kHere;
  }

  RseqArea area_{};
  uint64_t object_ = 0;
};

TEST_F(RseqListTest, PopsWhatWasPushedLast) {
  uint64_t a = 1;
  uint64_t b = 2;
  uint64_t head = 0;
  EXPECT_EQ(RseqList::Pop(&area_, kHere, &head, object_),
            RseqResult::kMismatch);
  EXPECT_EQ(RseqList::Push(&area_, kHere, &head, Word(&a)),
            RseqResult::kCommitted);
  EXPECT_EQ(RseqList::Push(&area_, kHere, &head, Word(&b)),
            RseqResult::kCommitted);
  EXPECT_EQ(b, Word(&a));
  EXPECT_EQ(a, 0U);
  EXPECT_EQ(RseqList::Pop(&area_, kHere, &head, object_),
            RseqResult::kCommitted);
  EXPECT_EQ(object_, Word(&b));
  EXPECT_EQ(RseqList::Pop(&area_, kHere, &head, object_),
            RseqResult::kCommitted);
  EXPECT_EQ(object_, Word(&a));
  EXPECT_EQ(head, 0U);
}

TEST_F(RseqListTest, PushesOnlyWhileTheCheckedWordIsTheExpectedOne) {
  uint64_t a = 9;
  uint64_t head = 0;
  // Differs in one half only, then in the other.
  uint64_t check = uint64_t{1} << 40 | 5;
  for (const uint64_t other : {uint64_t{5}, uint64_t{1} << 40}) {
    EXPECT_EQ(RseqList::PushIf(&area_, kHere, &check, other, &head, Word(&a)),
              RseqResult::kMismatch);
    EXPECT_EQ(head, 0U);
    EXPECT_EQ(a, 9U);
  }
  EXPECT_EQ(RseqList::PushIf(&area_, kHere, &check, check, &head, Word(&a)),
            RseqResult::kCommitted);
  EXPECT_EQ(head, Word(&a));
}

TEST_F(RseqListTest, TheUnlockedFormsDoTheSame) {
  if (!RseqList::WhyNoUnlocked().empty()) {
    GTEST_SKIP() << RseqList::WhyNoUnlocked();
  }
  uint64_t a = 1;
  uint64_t b = 2;
  uint64_t head = 0;
  uint64_t check = 7;
  EXPECT_EQ(RseqList::PopUnlocked(&area_, kHere, &head, object_),
            RseqResult::kMismatch);
  EXPECT_EQ(RseqList::PushIfUnlocked(&area_, kHere, &check, 8, &head, Word(&a)),
            RseqResult::kMismatch);
  EXPECT_EQ(RseqList::PushIfUnlocked(&area_, kHere, &check, 7, &head, Word(&a)),
            RseqResult::kCommitted);
  EXPECT_EQ(RseqList::PushIfUnlocked(&area_, kHere, &check, 7, &head, Word(&b)),
            RseqResult::kCommitted);
  EXPECT_EQ(RseqList::PopUnlocked(&area_, kHere, &head, object_),
            RseqResult::kCommitted);
  EXPECT_EQ(object_, Word(&b));
  EXPECT_EQ(head, Word(&a));
}

TEST_F(RseqListTest, LinksByNumbersBesideTheObjects) {
  uint32_t links[4] = {};
  uint64_t head = 0;
  EXPECT_EQ(RseqList::PopIndexed(&area_, kHere, &head, links, object_),
            RseqResult::kMismatch);
  for (const uint64_t index : {2U, 1U, 3U}) {
    EXPECT_EQ(RseqList::PushIndexed(&area_, kHere, &head, links, index),
              RseqResult::kCommitted);
  }
  EXPECT_EQ(links[2], 0U);
  EXPECT_EQ(links[1], 2U);
  EXPECT_EQ(links[3], 1U);
  for (const uint64_t index : {3U, 1U, 2U}) {
    EXPECT_EQ(RseqList::PopIndexed(&area_, kHere, &head, links, object_),
              RseqResult::kCommitted);
    EXPECT_EQ(object_, index);
  }
  EXPECT_EQ(head, 0U);
}

TEST_F(RseqListTest, AnArrayIsEmptyAtItsNullAndFullAtItsEnd) {
  struct alignas(512) {
    uint64_t slots[64] = {};
    uint64_t behind = 77;
  } array;
  auto top = Word(&array.slots[1]);
  EXPECT_EQ(RseqList::PopTop(&area_, kHere, &top, object_),
            RseqResult::kMismatch);
  for (uint64_t i = 1; i < 64; ++i) {
    EXPECT_EQ(RseqList::PushTop<512>(&area_, kHere, &top, i * 8),
              RseqResult::kCommitted);
  }
  EXPECT_EQ(RseqList::PushTop<512>(&area_, kHere, &top, 1),
            RseqResult::kMismatch);
  EXPECT_EQ(array.behind, 77U);
  for (uint64_t i = 63; i > 0; --i) {
    EXPECT_EQ(RseqList::PopTop(&area_, kHere, &top, object_),
              RseqResult::kCommitted);
    EXPECT_EQ(object_, i * 8);
  }
  EXPECT_EQ(top, Word(&array.slots[1]));
}

TEST_F(RseqListTest, DoesNothingOnAnyOtherCpu) {
  uint64_t a = 1;
  uint64_t b = 2;
  uint64_t head = Word(&a);
  uint32_t links[4] = {};
  uint64_t index = 2;
  uint64_t slots[4] = {0, 5, 6, 0};
  auto top = Word(&slots[3]);
  EXPECT_EQ(RseqList::Pop(&area_, kElsewhere, &head, object_),
            RseqResult::kAborted);
  EXPECT_EQ(RseqList::Push(&area_, kElsewhere, &head, Word(&b)),
            RseqResult::kAborted);
  EXPECT_EQ(RseqList::PushIf(&area_, kElsewhere, &b, b, &head, Word(&b)),
            RseqResult::kAborted);
  EXPECT_EQ(RseqList::PopIndexed(&area_, kElsewhere, &index, links, object_),
            RseqResult::kAborted);
  EXPECT_EQ(RseqList::PushIndexed(&area_, kElsewhere, &index, links, 3),
            RseqResult::kAborted);
  EXPECT_EQ(RseqList::PopTop(&area_, kElsewhere, &top, object_),
            RseqResult::kAborted);
  EXPECT_EQ(RseqList::PushTop<512>(&area_, kElsewhere, &top, 9),
            RseqResult::kAborted);
  EXPECT_EQ(head, Word(&a));
  EXPECT_EQ(index, 2U);
  EXPECT_EQ(top, Word(&slots[3]));
  EXPECT_EQ(slots[3], 0U);
}

// A head whose upper or lower half is zero is not an empty list.
TEST_F(RseqListTest, LooksAtAllOfTheHead) {
  uint32_t links[4] = {0, 3, 0, 0};
  uint64_t head = 1;
  EXPECT_EQ(RseqList::PopIndexed(&area_, kHere, &head, links, object_),
            RseqResult::kCommitted);
  EXPECT_EQ(head, 3U);
}

}  // namespace
}  // namespace hackbench::atomics
