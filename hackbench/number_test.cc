// SPDX-License-Identifier: MIT
#include "hackbench/number.h"

#include <gtest/gtest.h>

#include <limits>

namespace hackbench {
namespace {

TEST(NumberTest, ReadsWhatAtoiReads) {
  EXPECT_EQ(ParseNumber("100")->value, 100);
  EXPECT_EQ(ParseNumber(" 64 -l 5")->value, 64);
  EXPECT_EQ(ParseNumber("+7")->value, 7);
  EXPECT_EQ(ParseNumber("-3")->value, -3);
}

TEST(NumberTest, HandsBackWhatFollowsTheDigits) {
  EXPECT_EQ(ParseNumber("100")->rest, "");
  EXPECT_EQ(ParseNumber("1e3")->rest, "e3");
  EXPECT_EQ(ParseNumber("2.5")->rest, ".5");
  EXPECT_EQ(ParseNumber(" 64 -l 5 -g 1")->rest, " -l 5 -g 1");
  EXPECT_EQ(ParseNumber("0x10")->rest, "x10");
}

TEST(NumberTest, NeverWraps) {
  EXPECT_EQ(ParseNumber("4294967297")->value, 4294967297);
  const auto huge = ParseNumber("99999999999999999999x");
  EXPECT_TRUE(huge->overflow);
  EXPECT_EQ(huge->value, std::numeric_limits<int64_t>::max());
  EXPECT_EQ(huge->rest, "x");
  EXPECT_EQ(ParseNumber("-99999999999999999999")->value,
            std::numeric_limits<int64_t>::min());
}

TEST(NumberTest, RefusesTextWithoutADigit) {
  for (const char* text : {"", " ", "abc", "-", "+", "+-1", "--1", "- 1"}) {
    EXPECT_FALSE(ParseNumber(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace hackbench
