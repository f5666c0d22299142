// SPDX-License-Identifier: MIT
// The sequences themselves, on an area of our own that no kernel watches: they
// must commit when the CPU is the one they were told, and only then. This runs
// under emulators too, which have no rseq system call.
#include <gtest/gtest.h>

#include <cstring>

#include "atomics/arch.h"

namespace hackbench::atomics {
namespace {

constexpr uint32_t kHere = 3;
constexpr uint32_t kElsewhere = 4;

class RseqTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!Rseq::kCompiled) GTEST_SKIP() << Rseq::WhyNot();
    area_.cpu_id_start = kHere;
    area_.cpu_id = kHere;
  }

  RseqArea area_{};
};

template <class T>
void ExpectSequencesCommit(RseqArea* area) {
  T word = static_cast<T>(-7);
  T out = 0;
  EXPECT_EQ(Rseq::Read(area, kHere, &word, out), RseqResult::kCommitted);
  EXPECT_EQ(out, static_cast<T>(-7));
  EXPECT_EQ(Rseq::Add(area, kHere, &word, T{5}), RseqResult::kCommitted);
  EXPECT_EQ(word, static_cast<T>(-2));
  EXPECT_EQ(Rseq::Write(area, kHere, &word, static_cast<T>(-9)),
            RseqResult::kCommitted);
  EXPECT_EQ(Rseq::Xchg(area, kHere, &word, static_cast<T>(-8), out),
            RseqResult::kCommitted);
  EXPECT_EQ(out, static_cast<T>(-9));
  T expected = 1;
  EXPECT_EQ(Rseq::Cmpxchg(area, kHere, &word, expected, T{6}),
            RseqResult::kMismatch);
  EXPECT_EQ(expected, static_cast<T>(-8));
  EXPECT_EQ(Rseq::Cmpxchg(area, kHere, &word, expected, T{6}),
            RseqResult::kCommitted);
  EXPECT_EQ(word, T{6});
}

TEST_F(RseqTest, CommitsOnTheCpuItWasToldOf) {
  ExpectSequencesCommit<uint32_t>(&area_);
  ExpectSequencesCommit<int32_t>(&area_);
  ExpectSequencesCommit<uint64_t>(&area_);
  ExpectSequencesCommit<int64_t>(&area_);
}

TEST_F(RseqTest, AbortsOnAnyOtherCpu) {
  uint64_t word = 1;
  uint64_t out = 0;
  DoubleWord pair = {1, 2};
  EXPECT_EQ(Rseq::Read(&area_, kElsewhere, &word, out), RseqResult::kAborted);
  EXPECT_EQ(Rseq::Write(&area_, kElsewhere, &word, uint64_t{2}),
            RseqResult::kAborted);
  EXPECT_EQ(Rseq::Add(&area_, kElsewhere, &word, uint64_t{2}),
            RseqResult::kAborted);
  EXPECT_EQ(Rseq::Xchg(&area_, kElsewhere, &word, uint64_t{2}, out),
            RseqResult::kAborted);
  EXPECT_EQ(Rseq::Cmpxchg(&area_, kElsewhere, &word, word, uint64_t{2}),
            RseqResult::kAborted);
  EXPECT_EQ(Rseq::CmpxchgDouble(&area_, kElsewhere, &pair, pair, {3, 4}),
            RseqResult::kAborted);
  EXPECT_EQ(word, 1U);
  EXPECT_EQ(pair, (DoubleWord{1, 2}));
}

TEST_F(RseqTest, ExchangesADoubleWord) {
  if (!Rseq::WhyNoDouble().empty()) GTEST_SKIP() << Rseq::WhyNoDouble();
  DoubleWord pair = {1, 2};
  EXPECT_EQ(Rseq::CmpxchgDouble(&area_, kHere, &pair, {1, 3}, {5, 6}),
            RseqResult::kMismatch);
  EXPECT_EQ(Rseq::CmpxchgDouble(&area_, kHere, &pair, {2, 2}, {5, 6}),
            RseqResult::kMismatch);
  EXPECT_EQ(pair, (DoubleWord{1, 2}));
  EXPECT_EQ(Rseq::CmpxchgDouble(&area_, kHere, &pair, {1, 2}, {5, 6}),
            RseqResult::kCommitted);
  EXPECT_EQ(pair, (DoubleWord{5, 6}));
}

// The other users of the area, and newer kernels, hold us to this.
TEST_F(RseqTest, WritesNothingOfTheAreaButTheDescriptor) {
  RseqArea before = area_;
  ExpectSequencesCommit<uint64_t>(&area_);
  EXPECT_NE(area_.rseq_cs, 0U);
  before.rseq_cs = area_.rseq_cs;
  EXPECT_EQ(std::memcmp(&before, &area_, sizeof(area_)), 0);
}

struct Descriptor {
  uint32_t version;
  uint32_t flags;
  uint64_t start;
  uint64_t length;
  uint64_t abort;
};

// The kernel kills a thread whose abort handler lacks the signature.
TEST_F(RseqTest, DescribesItselfAsTheKernelWantsIt) {
  uint64_t word = 0;
  ASSERT_EQ(Rseq::Write(&area_, kHere, &word, uint64_t{1}),
            RseqResult::kCommitted);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the ABI keeps it as a number.
  const auto* descriptor = reinterpret_cast<const Descriptor*>(area_.rseq_cs);
  EXPECT_EQ(area_.rseq_cs % 32, 0U);
  EXPECT_EQ(descriptor->version, 0U);
  EXPECT_GT(descriptor->length, 0U);
  EXPECT_LT(descriptor->length, 100U);
  EXPECT_GE(descriptor->abort - descriptor->start, descriptor->length);
  uint32_t signature = 0;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): as above.
  const auto* code = reinterpret_cast<const char*>(descriptor->abort);
  std::memcpy(&signature, code - sizeof(signature), sizeof(signature));
  EXPECT_EQ(signature, Rseq::kSignature);
}

}  // namespace
}  // namespace hackbench::atomics
