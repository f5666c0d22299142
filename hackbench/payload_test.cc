// SPDX-License-Identifier: MIT
#include "hackbench/payload.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <vector>

namespace hackbench {
namespace {

constexpr uint32_t kGroup = 3;
constexpr uint32_t kReceiver = 5;

class MessageTest : public testing::TestWithParam<size_t> {
 protected:
  std::vector<std::byte> Message(uint32_t sender, uint32_t sequence,
                                 uint32_t receiver = kReceiver,
                                 uint32_t group = kGroup) {
    std::vector<std::byte> message(GetParam());
    FillMessage(message, {group, sender, 0, sequence});
    SetReceiver(message, receiver);
    return message;
  }

  Judgement Judge(const std::vector<std::byte>& message) {
    return JudgeMessage(message, kGroup, kReceiver, next_);
  }

  std::array<uint32_t, 4> next_{};
};

TEST_P(MessageTest, AcceptsEachSendersSequence) {
  for (uint32_t sequence = 0; sequence < 3; ++sequence) {
    for (uint32_t sender = 0; sender < next_.size(); ++sender) {
      EXPECT_EQ(Judge(Message(sender, sequence)).fault, Fault::kNone);
    }
  }
}

TEST_P(MessageTest, ConvictsALostMessage) {
  EXPECT_EQ(Judge(Message(2, 1)).fault, Fault::kLost);
  EXPECT_EQ(Judge(Message(2, 1)).sender, 2u);
}

TEST_P(MessageTest, ConvictsARepeatedMessage) {
  EXPECT_EQ(Judge(Message(1, 0)).fault, Fault::kNone);
  EXPECT_EQ(Judge(Message(1, 0)).fault, Fault::kRepeated);
}

TEST_P(MessageTest, ConvictsAMisroutedMessage) {
  EXPECT_EQ(Judge(Message(0, 0, kReceiver + 1)).fault, Fault::kMisrouted);
  EXPECT_EQ(Judge(Message(0, 0, kReceiver, kGroup + 1)).fault,
            Fault::kMisrouted);
}

TEST_P(MessageTest, ConvictsEveryForeignByteOfTheBody) {
  for (size_t at = sizeof(MessageHeader); at < GetParam(); ++at) {
    std::vector<std::byte> message = Message(0, 0);
    message[at] ^= std::byte{1};
    EXPECT_EQ(Judge(message).fault, Fault::kTorn) << at;
  }
}

TEST_P(MessageTest, ConvictsTwoMessagesInOne) {
  if (GetParam() < 2 * sizeof(MessageHeader)) return;  // No body to mix.
  std::vector<std::byte> message = Message(0, 0);
  const std::vector<std::byte> other = Message(1, 0);
  const size_t half = GetParam() / 2;
  std::copy(other.begin() + half, other.end(), message.begin() + half);
  EXPECT_EQ(Judge(message).fault, Fault::kTorn);
}

INSTANTIATE_TEST_SUITE_P(Sizes, MessageTest,
                         testing::Values(16, 17, 24, 100, 4096));

class TagTest : public testing::Test {
 protected:
  static constexpr uint32_t kSenders = 20;
  static constexpr uint64_t kEach = 500;

  TagTest() {
    const std::array<std::byte, kEach> none{};
    for (uint32_t sender = 0; sender < kSenders; ++sender) {
      std::array<std::byte, kEach> bytes = none;
      bytes.fill(SenderTag(kGroup, sender));
      CountTags(bytes, counts_);
    }
  }

  Judgement Judge() { return JudgeTags(counts_, kGroup, kSenders, kEach); }

  uint64_t& Count(uint32_t group, uint32_t sender) {
    return counts_[static_cast<size_t>(SenderTag(group, sender))];
  }

  std::array<uint64_t, kTagValues> counts_{};
};

TEST_F(TagTest, AcceptsWhatAllSendersSent) {
  EXPECT_EQ(Judge().fault, Fault::kNone);
}

TEST_F(TagTest, ConvictsLossRepetitionAndStrangers) {
  --Count(kGroup, 7);
  EXPECT_EQ(Judge().fault, Fault::kLost);
  EXPECT_EQ(Judge().sender, 7u);
  Count(kGroup, 7) += 2;
  EXPECT_EQ(Judge().fault, Fault::kRepeated);
  --Count(kGroup, 7);
  ++Count(kGroup + 1, 0);
  EXPECT_EQ(Judge().fault, Fault::kMisrouted);
}

TEST_F(TagTest, SendersThatShareATagAreCountedTogether) {
  counts_ = {};
  constexpr uint32_t kMany = 300;
  for (uint32_t sender = 0; sender < kMany; ++sender) {
    Count(kGroup, sender) += kEach;
  }
  EXPECT_EQ(JudgeTags(counts_, kGroup, kMany, kEach).fault, Fault::kNone);
}

}  // namespace
}  // namespace hackbench
