// SPDX-License-Identifier: MIT
#include "hackbench/atomics_options.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "atomics/atomic_list.h"
#include "atomics/pin.h"
#include "hackbench/atomics_report.h"

namespace hackbench {
namespace {

using Words = std::vector<std::string_view>;

std::string Refusal(const Words& words) {
  const auto options = ParseAtomicsOptions(words);
  return options.ok() ? "" : std::string(options.status().message());
}

bool Says(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(AtomicsOptionsTest, MeasuresEverythingUnlessTold) {
  const auto options = ParseAtomicsOptions({});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->variants.size(), atomics::kAtomicList.size() - 1);
}

TEST(AtomicsOptionsTest, ChoosesTheCpus) {
  const std::string cpu = std::to_string(atomics::AllowedCpus().back());
  const auto options = ParseAtomicsOptions(Words{"--cpus", cpu});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->cpus, std::vector<int>{atomics::AllowedCpus().back()});
  for (const std::string& bad :
       {std::string("9999"), std::string("-1"), std::string("x"),
        std::string(""), cpu + ",", cpu + "," + cpu, cpu + "x"}) {
    EXPECT_TRUE(Says(Refusal({"--cpus", bad}), "--cpus '" + bad + "'")) << bad;
  }
}

TEST(AtomicsOptionsTest, NarrowsByOperationAndByVariant) {
  const auto by_op = ParseAtomicsOptions(Words{"--op", "fence,cpu-id"});
  ASSERT_TRUE(by_op.ok());
  for (const auto* variant : by_op->variants) {
    EXPECT_TRUE(variant->op == "fence" || variant->op == "cpu-id");
  }
  const auto by_name = ParseAtomicsOptions(Words{"--variant=xchg,cmpxchg"});
  ASSERT_TRUE(by_name.ok());
  EXPECT_EQ(by_name->variants.size(), 2U);
}

TEST(AtomicsOptionsTest, RefusalsNameTheWayOut) {
  EXPECT_TRUE(Says(Refusal({"--variant", "xchgg"}), "did you mean 'xchg'?"));
  EXPECT_TRUE(Says(Refusal({"--op=fense"}), "did you mean 'fence'?"));
  EXPECT_TRUE(Says(Refusal({"--format", "jsn"}), "did you mean 'json'?"));
  EXPECT_TRUE(Says(Refusal({"--op=fence", "--variant=xchg"}), "nothing"));
  EXPECT_TRUE(Says(Refusal({"--nonsense"}), "--help"));
  EXPECT_FALSE(Refusal({"stray"}).empty());
}

TEST(AtomicsOptionsTest, RefusesRepetitionsThatAreNoCount) {
  for (const char* text : {"-3", "0", "2", "1e3", "", "99999999999999999999"}) {
    EXPECT_TRUE(Says(Refusal({"--repetitions", text}), "whole number")) << text;
  }
}

TEST(AtomicsListTest, NamesAreUniqueAndAllListed) {
  const std::string list = FormatAtomicsList(MeasureCpuFacts());
  for (const auto& entry : atomics::kAtomicList) {
    EXPECT_EQ(std::count_if(
                  atomics::kAtomicList.begin(), atomics::kAtomicList.end(),
                  [&](const auto& other) { return other.name == entry.name; }),
              1)
        << entry.name;
    EXPECT_TRUE(Says(list, entry.name)) << entry.name;
    EXPECT_TRUE(Says(list, entry.summary)) << entry.name;
    EXPECT_TRUE(Says(list, entry.why_not())) << entry.name;
  }
}

}  // namespace
}  // namespace hackbench
