// SPDX-License-Identifier: MIT
// The arena and its pages: blocks do not overlap, all of them come back, a
// worker that dies holding a lock does no harm, and an end of memory is said.
#include "alloc/page_allocator.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <random>

#include "alloc/heap.h"
#include "atomics/test_workers.h"

namespace hackbench::alloc {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

std::unique_ptr<Heap> MakeHeap(ArenaOptions arena) {
  HeapOptions options;
  options.arena = arena;
  auto heap = Heap::Create(options);
  if (!heap.ok()) std::abort();
  return *std::move(heap);
}

TEST(PageAllocatorTest, BlocksAreAlignedApartAndAllComeBack) {
  auto heap = MakeHeap({.max_bytes = 16 * kMiB});
  PageAllocator& pages = heap->pages();
  std::mt19937 random(1);
  std::map<uint32_t, unsigned> held;
  for (int i = 0; i < 20000; ++i) {
    const unsigned order = random() % kNumOrders;
    if (random() % 2 == 0) {
      const uint32_t page = pages.Alloc(order);
      if (page == kNoPage) continue;
      EXPECT_EQ(page % (1U << order), 0U);
      const auto next = held.lower_bound(page);
      if (next != held.end()) {
        ASSERT_GE(next->first, page + (1U << order));
      }
      if (next != held.begin()) {
        const auto before = std::prev(next);
        ASSERT_LE(before->first + (1U << before->second), page);
      }
      heap->descriptor(page).kind = PageKind::kLarge;
      held[page] = order;
    } else if (!held.empty()) {
      auto at = held.lower_bound(random() % 4096);
      if (at == held.end()) at = held.begin();
      pages.Free(at->first, at->second);
      held.erase(at);
    }
    if (i % 1000 == 0) {
      const auto usage = pages.Audit();
      ASSERT_TRUE(usage.ok()) << usage.status();
      EXPECT_EQ(usage->lost, 0U);
    }
  }
  for (const auto& [page, order] : held) pages.Free(page, order);
  pages.DrainCpuLists();
  const auto usage = pages.Audit();
  ASSERT_TRUE(usage.ok()) << usage.status();
  EXPECT_EQ(usage->used, 1U) << "page 0, which is never handed out";
  // Merged again: the largest blocks can be had, all but the first.
  for (int i = 0; i < 3; ++i) EXPECT_NE(pages.Alloc(kMaxOrder), kNoPage);
  EXPECT_EQ(pages.Alloc(kMaxOrder), kNoPage);
}

TEST(PageAllocatorTest, AnArenaThatIsNoMultipleOfABlockIsUsedToItsEnd) {
  auto heap = MakeHeap({.max_bytes = 4 * kMiB + 5 * kPageBytes});
  uint32_t pages = 0;
  while (heap->pages().Alloc(0) != kNoPage) ++pages;
  EXPECT_EQ(pages, 1024U + 5 - 1);
  EXPECT_GT(heap->pages().zone().exhausted, 0U);
}

TEST(PageAllocatorTest, ABlockThatIsFreedTwiceIsConvicted) {
  GTEST_FLAG_SET(death_test_style, "fast");
  auto heap = MakeHeap({.max_bytes = 8 * kMiB});
  for (const unsigned order : {0U, 5U}) {
    const uint32_t page = heap->pages().Alloc(order);
    heap->pages().Free(page, order);
    EXPECT_DEATH(heap->pages().Free(page, order), "BUG");
  }
}

// The lists are an index of the blocks: whoever steals the lock rebuilds them.
TEST(PageAllocatorTest, AKilledHolderOfTheLockLeavesNothingBroken) {
  auto heap = MakeHeap({.max_bytes = 16 * kMiB});
  PageAllocator& pages = heap->pages();
  std::vector<uint32_t> held;
  for (int i = 0; i < 40; ++i) held.push_back(pages.Alloc(4));
  for (size_t i = 0; i < held.size(); i += 2) pages.Free(held[i], 4);
  const pid_t child = fork();
  if (child == 0) {
    AdoptWorkerSlot(7);
    Zone& zone = const_cast<Zone&>(pages.zone());
    static_cast<void>(zone.lock.Lock());
    // Half-way through a change of the lists.
    zone.head.fill(12345);
    zone.free_blocks.fill(77);
    _exit(0);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  MarkWorkerDead(7);
  const uint32_t page = pages.Alloc(4);
  EXPECT_NE(page, kNoPage);
  heap->descriptor(page).kind = PageKind::kLarge;
  for (size_t i = 1; i < held.size(); i += 2) {
    heap->descriptor(held[i]).kind = PageKind::kLarge;
  }
  const auto usage = pages.Audit();
  ASSERT_TRUE(usage.ok()) << usage.status();
  EXPECT_EQ(usage->used, 1U + 21 * 16);
}

TEST(OwnerLockTest, IsStolenFromTheDeadAndFromNobodyElse) {
  auto heap = MakeHeap({.max_bytes = 4 * kMiB});
  auto* lock = static_cast<OwnerLock*>(heap->Carve(sizeof(OwnerLock)));
  const pid_t child = fork();
  if (child == 0) {
    AdoptWorkerSlot(9);
    _exit(lock->TryLock() == Taken::kYes ? 0 : 1);
  }
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  EXPECT_EQ(lock->TryLock(), Taken::kNo) << "nobody said that it is dead";
  MarkWorkerDead(8);
  EXPECT_EQ(lock->TryLock(), Taken::kNo) << "another one is";
  MarkWorkerDead(9);
  EXPECT_EQ(lock->TryLock(), Taken::kStolen);
  EXPECT_EQ(lock->TryLock(), Taken::kNo) << "ours now";
  lock->Unlock();
  EXPECT_EQ(lock->TryLock(), Taken::kYes);
}

// User-mode emulators answer madvise() without doing it.
bool IsEmulated() { return atomics::Rounds(100) != 100; }

TEST(ArenaTest, MemoryTheSystemDoesNotHaveIsRefusedInTime) {
  if (IsEmulated()) GTEST_SKIP() << "no madvise() to speak of";
  // A memfd that ends early stands for a tmpfs that is full. The metadata and
  // one block are there.
  auto heap = MakeHeap({.max_bytes = 64 * kMiB,
                        .backing = Backing::kMemfd,
                        .file_bytes = 100 * kMiB});
  uint32_t blocks = 0;
  while (heap->pages().Alloc(kMaxOrder) != kNoPage) ++blocks;
  EXPECT_LT(blocks, 15U);
  EXPECT_GT(heap->pages().zone().unpopulated, 0U);
}

TEST(ArenaDeathTest, ABusErrorIsSaidInWords) {
  GTEST_FLAG_SET(death_test_style, "fast");
  auto heap = MakeHeap({.max_bytes = 64 * kMiB,
                        .backing = Backing::kMemfd,
                        .file_bytes = 100 * kMiB});
  EXPECT_EXIT(
      {
        ReportBusErrors(heap->arena());
        *static_cast<volatile char*>(heap->base() + 64 * kMiB - 1) = 1;
      },
      testing::ExitedWithCode(1), "no memory left");
}

TEST(ArenaTest, ReleasedPagesAreGivenBackAndReadAsZero) {
  if (IsEmulated()) GTEST_SKIP() << "no madvise() to speak of";
  auto heap = MakeHeap({.max_bytes = 8 * kMiB});
  const uint32_t page = heap->pages().Alloc(kMaxOrder);
  ASSERT_NE(page, kNoPage);
  char* const memory = heap->AddressOf(page);
  std::memset(memory, 1, kPageBytes << kMaxOrder);
  heap->pages().Free(page, kMaxOrder);
  const uint64_t released = heap->pages().ReleaseFree(kMaxOrder);
  if (released == 0) GTEST_SKIP() << "MADV_REMOVE is not to be had here";
  EXPECT_GE(released, 1U << kMaxOrder);
  EXPECT_EQ(memory[kPageBytes * 7], 0);
}

TEST(ArenaTest, RefusalsNameTheOption) {
  HeapOptions options;
  options.arena.max_bytes = 1000;
  EXPECT_NE(Heap::Create(options).status().ToString().find("--arena-max"),
            std::string::npos);
}

}  // namespace
}  // namespace hackbench::alloc
