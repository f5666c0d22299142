// SPDX-License-Identifier: MIT
// The control must be convicted: while it stands between its look at the head
// and its exchange, somebody allocates twice and frees the first again.
#include <gtest/gtest.h>

#include <set>

#include "alloc/engines.h"

namespace hackbench::alloc {
namespace {

using Control = Aba<StatsMode::kOff>;

Control* engine = nullptr;
std::vector<void*> held;

// An interrupt, once.
void AllocateTwiceAndFreeTheFirst() {
  AbaPause::pause = nullptr;
  void* const first = engine->Alloc(64);
  held.push_back(engine->Alloc(64));
  engine->Free(first);
}

TEST(AbaEngineTest, HandsAnObjectOutTwice) {
  auto heap = *Heap::Create();
  Control control(*heap);
  engine = &control;
  held = {control.Alloc(64)};
  AbaPause::pause = &AllocateTwiceAndFreeTheFirst;
  for (int i = 0; i < 3; ++i) held.push_back(control.Alloc(64));
  EXPECT_LT(std::set<void*>(held.begin(), held.end()).size(), held.size());
}

// The same loop without the interruption is sound: the harness convicts
// nobody else.
TEST(AbaEngineTest, NobodyIsConvictedWithoutAnInterruption) {
  auto heap = *Heap::Create();
  Control control(*heap);
  std::set<void*> objects;
  for (int i = 0; i < 500; ++i) {
    EXPECT_TRUE(objects.insert(control.Alloc(64)).second);
  }
}

}  // namespace
}  // namespace hackbench::alloc
