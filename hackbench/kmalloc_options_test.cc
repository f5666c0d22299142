// SPDX-License-Identifier: MIT
#include "hackbench/kmalloc_options.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "alloc/allocator_list.h"

namespace hackbench {
namespace {

using Words = std::vector<std::string_view>;

std::string Refusal(const Words& words) {
  const auto options = ParseKmallocOptions(words);
  return options.ok() ? "" : std::string(options.status().message());
}

bool Says(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(KmallocOptionsTest, MeasuresTheTableOf2007UnlessTold) {
  const auto options = ParseKmallocOptions({});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->count, 10000U);
  EXPECT_EQ(options->sizes.front(), 8U);
  EXPECT_EQ(options->sizes.back(), 16384U);
  EXPECT_EQ(options->sizes.size(), 12U);
  ASSERT_EQ(options->tests.size(), 2U);
  EXPECT_EQ(options->tests[0].name, "alloc-then-free");
  EXPECT_EQ(options->tests[1].name, "pair");
  EXPECT_EQ(options->touch, (std::vector<bool>{false, true}));
  EXPECT_TRUE(options->peers.empty());
}

// The control would put a wrong number into a table.
TEST(KmallocOptionsTest, TheUnsafeControlIsOnlyMeasuredByName) {
  const auto all = ParseKmallocOptions({});
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(std::count(all->engines.begin(), all->engines.end(), "aba"), 0);
  const auto named = ParseKmallocOptions(Words{"--engine", "aba"});
  ASSERT_TRUE(named.ok());
  EXPECT_EQ(named->engines, (std::vector<std::string>{"aba"}));
}

TEST(KmallocOptionsTest, BaseIsTheOneOfTheIrqModel) {
  const auto options =
      ParseKmallocOptions(Words{"--engine=base,locked", "--irq-model=flag"});
  if (!alloc::FindAllocator("base-flag")->why_not().empty()) {
    EXPECT_TRUE(Says(std::string(options.status().message()), "cannot run"));
    return;
  }
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->engines,
            (std::vector<std::string>{"base-flag", "locked"}));
}

TEST(KmallocOptionsTest, ReadsSizesAsARangeOrAList) {
  const auto range = ParseKmallocOptions(Words{"--sizes", "16..128"});
  ASSERT_TRUE(range.ok());
  EXPECT_EQ(range->sizes, (std::vector<size_t>{16, 32, 64, 128}));
  const auto list = ParseKmallocOptions(Words{"--sizes", "96,8"});
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(list->sizes, (std::vector<size_t>{96, 8}));
}

TEST(KmallocOptionsTest, ReadsTheArenaWithItsUnit) {
  const auto options = ParseKmallocOptions(Words{"--arena-max", "2G"});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->arena.max_bytes, size_t{2} << 30);
  for (const char* text : {"0", "-1", "2T", "G", "1.5G", "99999999999G", ""}) {
    EXPECT_TRUE(Says(Refusal({"--arena-max", text}), "512M")) << text;
  }
}

TEST(KmallocOptionsTest, RefusalsNameTheWayOut) {
  EXPECT_TRUE(Says(Refusal({"--engine", "sheafs"}), "did you mean 'sheaves'?"));
  EXPECT_TRUE(Says(Refusal({"--test=piar"}), "did you mean 'pair'?"));
  EXPECT_TRUE(
      Says(Refusal({"--peers", "jemaloc"}), "did you mean 'jemalloc'?"));
  EXPECT_TRUE(Says(Refusal({"--irq-model", "cli"}), "--list"));
  EXPECT_TRUE(Says(Refusal({"--sizes", "64..8"}), "larger than the last"));
  EXPECT_TRUE(Says(Refusal({"--sizes", "8..x"}), "whole number"));
  EXPECT_TRUE(Says(Refusal({"--touch", "maybe"}), "--list"));
  EXPECT_TRUE(Says(Refusal({"--nonsense"}), "--help"));
  EXPECT_FALSE(Refusal({"stray"}).empty());
  for (const char* text : {"-3", "0", "1e3", "", "99999999999999999999"}) {
    EXPECT_TRUE(Says(Refusal({"--count", text}), "whole number")) << text;
    EXPECT_TRUE(Says(Refusal({"--rounds", text}), "whole number")) << text;
  }
}

TEST(KmallocListTest, NamesEverythingThatCanBeAskedFor) {
  const std::string list = KmallocList();
  for (const auto& entry : alloc::AllocatorList()) {
    EXPECT_TRUE(Says(list, entry.name)) << entry.name;
    EXPECT_TRUE(Says(list, entry.why_not())) << entry.name;
  }
  for (const auto& entry : kKmallocTests) EXPECT_TRUE(Says(list, entry.name));
  EXPECT_TRUE(Says(list, "default here: "));
}

}  // namespace
}  // namespace hackbench
