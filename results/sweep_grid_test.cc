// SPDX-License-Identifier: MIT
#include "results/sweep_grid.h"

#include <gtest/gtest.h>

namespace hackbench::results {
namespace {

using Values = std::vector<std::string>;

SweepGrid Grid(std::vector<Axis> axes) {
  SweepGrid grid;
  grid.axes = std::move(axes);
  return grid;
}

TEST(SweepGridTest, ReadsLists) {
  const auto axis = ParseListAxis("alloc=malloc,slab");
  ASSERT_TRUE(axis.ok());
  EXPECT_EQ(axis->name, "alloc");
  EXPECT_EQ(axis->values, (Values{"malloc", "slab"}));
  for (const char* const bad : {"alloc", "=a", "a=", "a=b,,c", "a=b,b"}) {
    EXPECT_FALSE(ParseListAxis(bad).ok()) << bad;
  }
}

TEST(SweepGridTest, ReadsScans) {
  EXPECT_EQ(ParseScanAxis("g=1..4")->values, (Values{"1", "2", "3", "4"}));
  EXPECT_EQ(ParseScanAxis("g=1..64:x2")->values,
            (Values{"1", "2", "4", "8", "16", "32", "64"}));
  EXPECT_EQ(ParseScanAxis("g=10..31:10")->values, (Values{"10", "20", "30"}));
  EXPECT_EQ(ParseScanAxis("n=-2..0")->values, (Values{"-2", "-1", "0"}));
  // Near the end of the numbers it stops, too.
  EXPECT_EQ(ParseScanAxis("g=9223372036854775806..9223372036854775807")
                ->values.size(),
            2u);
  EXPECT_EQ(
      ParseScanAxis("g=4611686018427387904..9223372036854775807:x2")->values,
      (Values{"4611686018427387904"}));
  for (const char* const bad :
       {"g=1", "g=4..1", "g=1..4:0", "g=1..4:x1", "g=0..4:x2", "g=1..4:-1",
        "g=a..b", "g=1..4:2x", "1..4", "g=1..99999999"}) {
    EXPECT_FALSE(ParseScanAxis(bad).ok()) << bad;
  }
}

TEST(SweepGridTest, ReadsSettings) {
  EXPECT_EQ(*ParseSettings("a=1,b=2"), (Cell{{"a", "1"}, {"b", "2"}}));
  EXPECT_EQ(*ParseSettings("affinity=0,2,groups=5"),
            (Cell{{"affinity", "0,2"}, {"groups", "5"}}));
  for (const char* const bad : {"", "a", "=1", "a=1,a=2"}) {
    EXPECT_FALSE(ParseSettings(bad).ok()) << bad;
  }
}

TEST(SweepGridTest, CombinesAndExcludes) {
  SweepGrid grid = Grid({{.name = "g", .values = {"1", "2"}},
                         {.name = "a", .values = {"x", "y", "z"}}});
  auto cells = CellsOf(grid);
  ASSERT_EQ(cells->size(), 6u);
  EXPECT_EQ(CellText(grid, (*cells)[1]), "g=1 a=y");
  grid.exclude = {{{"g", "2"}, {"a", "y"}}};
  EXPECT_EQ(CellsOf(grid)->size(), 5u);
  grid.exclude = {{{"g", "2"}}, {{"g", "1"}}};
  EXPECT_FALSE(CellsOf(grid).ok());
  grid.exclude = {{{"g", "3"}}};  // A slip of the fingers excludes nothing.
  EXPECT_FALSE(CellsOf(grid).ok());
  grid.exclude = {};
  grid.zip = true;
  EXPECT_FALSE(CellsOf(grid).ok());
  grid.axes[0].values = {"1", "2", "3"};
  EXPECT_EQ(CellsOf(grid)->size(), 3u);
  grid.axes[0].name = "a";
  EXPECT_FALSE(CellsOf(grid).ok());
  EXPECT_FALSE(CellsOf(Grid({})).ok());
}

TEST(SweepGridTest, EachCellHasItsBaseline) {
  SweepGrid grid = Grid({{.name = "g", .values = {"1", "2"}},
                         {.name = "a", .values = {"x", "y"}}});
  const auto cells = *CellsOf(grid);
  EXPECT_EQ(BaselinesOf(grid, cells), (std::vector<int64_t>{0, 0, 2, 2}));
  grid.baseline = {{"a", "y"}};
  EXPECT_EQ(BaselinesOf(grid, cells), (std::vector<int64_t>{1, 1, 3, 3}));
  grid.baseline = {{"g", "1"}};
  EXPECT_EQ(BaselinesOf(grid, cells), (std::vector<int64_t>{0, 1, 0, 1}));
  grid.baseline = {{"a", "w"}};
  EXPECT_FALSE(CellsOf(grid).ok());
}

TEST(SweepGridTest, InStepTheFirstIsTheBaseline) {
  SweepGrid grid = Grid({{.name = "g", .values = {"1", "2"}},
                         {.name = "l", .values = {"100", "50"}}});
  grid.zip = true;
  EXPECT_EQ(BaselinesOf(grid, *CellsOf(grid)), (std::vector<int64_t>{0, 0}));
}

}  // namespace
}  // namespace hackbench::results
