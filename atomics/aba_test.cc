// SPDX-License-Identifier: MIT
// A freelist head that was popped, popped again and pushed back looks untouched
// and is not: its `next` is in use. The tid tells; a list without one hands the
// same object out twice (the bug that took cmpxchg_local out of 2.6.25).
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "atomics/cmpxchg.h"
#include "atomics/tid.h"

namespace hackbench::atomics {
namespace {

struct Object {
  Object* next = nullptr;
};

// One CPU's freelist: {head, tid}. kWithTid = false is the mutant.
template <class Ops, bool kWithTid>
class Freelist {
 public:
  using Pause = std::function<void()>;

  Object* Pop(const Pause& pause = [] {}) {
    for (;;) {
      const DoubleWord seen = Ops::Load(&word_);
      // NOLINTNEXTLINE(performance-no-int-to-ptr): the double word keeps bits.
      auto* head = reinterpret_cast<Object*>(seen.first);
      if (head == nullptr) return nullptr;
      const DoubleWord next = {ToBits(head->next), NextTid(seen.second)};
      pause();
      if (CmpxchgDouble<Order::kFull, Ops>(&word_, seen, next)) return head;
    }
  }

  void Push(Object* object) {
    for (;;) {
      const DoubleWord seen = Ops::Load(&word_);
      // NOLINTNEXTLINE(performance-no-int-to-ptr): as above.
      object->next = reinterpret_cast<Object*>(seen.first);
      const DoubleWord next = {ToBits(object), NextTid(seen.second)};
      if (CmpxchgDouble<Order::kFull, Ops>(&word_, seen, next)) return;
    }
  }

 private:
  static uint64_t NextTid(uint64_t tid) {
    return kWithTid ? TidSequence(2).Next(tid) : tid;
  }

  DoubleWord word_;
};

// True when two holders end up with one object, after somebody else pops twice
// and pushes the first back while our pop stands between its look and exchange.
template <class List>
bool HandsAnObjectOutTwice() {
  Object a;
  Object b;
  List list;
  list.Push(&b);
  list.Push(&a);
  std::vector<Object*> held;
  bool paused = false;
  held.push_back(list.Pop([&] {
    if (paused) return;
    paused = true;
    Object* first = list.Pop();
    held.push_back(list.Pop());
    list.Push(first);
  }));
  while (Object* object = list.Pop()) {
    held.push_back(object);
    if (held.size() > 2) break;
  }
  return held.size() > 2;
}

template <class Ops>
class AbaTest : public testing::Test {};
using AllOps = testing::Types<DoubleOps, generic::DoubleOps>;
TYPED_TEST_SUITE(AbaTest, AllOps);

TYPED_TEST(AbaTest, TheTidTellsAReusedHead) {
  if (!TypeParam::WhyNot().empty()) GTEST_SKIP() << TypeParam::WhyNot();
  EXPECT_FALSE((HandsAnObjectOutTwice<Freelist<TypeParam, true>>()));
}

TYPED_TEST(AbaTest, AMutantWithoutATidIsConvicted) {
  if (!TypeParam::WhyNot().empty()) GTEST_SKIP() << TypeParam::WhyNot();
  EXPECT_TRUE((HandsAnObjectOutTwice<Freelist<TypeParam, false>>()));
}

}  // namespace
}  // namespace hackbench::atomics
