// SPDX-License-Identifier: MIT
#include "hackbench/suggest.h"

#include <gtest/gtest.h>

#include <array>

namespace hackbench {
namespace {

constexpr std::array<std::string_view, 3> kChoices = {"ticket", "queued",
                                                      "mcs"};

TEST(SuggestTest, FindsASlipOfTheFingers) {
  EXPECT_EQ(NearestName("tiket", kChoices), "ticket");
  EXPECT_EQ(NearestName("qeued", kChoices), "queued");
  EXPECT_EQ(NearestName("msc", kChoices), "mcs");
  EXPECT_EQ(NearestName("mc", kChoices), "mcs");
}

TEST(SuggestTest, IsSilentWhenNothingIsNear) {
  EXPECT_EQ(DidYouMean("x", kChoices), "");
  EXPECT_EQ(DidYouMean("", kChoices), "");
  EXPECT_EQ(DidYouMean("socketpair", kChoices), "");
  EXPECT_EQ(DidYouMean("tickt", kChoices), " (did you mean 'ticket'?)");
}

}  // namespace
}  // namespace hackbench
