// SPDX-License-Identifier: MIT
// Every kind of damage is reported exactly once, in the words of SLUB, for
// objects of every size and for each flag alone; and the same trace through the
// debug engine and any other leaves the same books.
#include "alloc/debug_engine.h"

#include <gtest/gtest.h>

#include <random>

#include "alloc/allocator_list.h"
#include "atomics/test_workers.h"

namespace hackbench::alloc {
namespace {

using Debug = DebugEngine<StatsMode::kExact>;

std::vector<std::string> reports;

class DebugEngineTest : public testing::Test {
 protected:
  void SetUp() override {
    reports.clear();
    debug_report_sink = [](const std::string& report) {
      reports.push_back(report);
    };
    Renew(debug_flags);
  }
  void TearDown() override {
    debug_report_sink = nullptr;
    debug_flags = *ParseDebugFlags("FZPU");
  }
  void Renew(uint32_t flags) {
    debug_flags = flags;
    HeapOptions options;
    options.arena.max_bytes = size_t{16} << 20;
    debug_.reset();
    heap_ = *Heap::Create(options);
    debug_ = std::make_unique<Debug>(*heap_);
  }
  void ExpectOneReport(std::string_view what) {
    ASSERT_EQ(reports.size(), 1U);
    EXPECT_NE(reports[0].find(what), std::string::npos) << reports[0];
    EXPECT_EQ(debug_->errors(), 1U);
    reports.clear();
  }

  std::unique_ptr<Heap> heap_;
  std::unique_ptr<Debug> debug_;
};

TEST_F(DebugEngineTest, WritesBesideAnObjectOfAnySizeAreFound) {
  for (size_t bytes = 1; bytes <= 64; ++bytes) {
    for (const bool left : {false, true}) {
      Renew(debug_flags);
      const auto cache = debug_->CreateCache("odd", bytes);
      ASSERT_TRUE(cache.ok());
      auto* object = static_cast<char*>(debug_->AllocFrom(*cache));
      ASSERT_NE(object, nullptr);
      std::memset(object, 0x77, bytes);
      EXPECT_TRUE(debug_->Check().ok()) << bytes;
      object[left ? -1 : static_cast<ptrdiff_t>(bytes)] = 0x12;
      debug_->Free(object);
      ExpectOneReport(left ? "Left Redzone" : "Right Redzone");
    }
  }
}

TEST_F(DebugEngineTest, WritesToAFreeObjectAreFound) {
  // The first word, one in the middle, the very last byte.
  for (const size_t at : {size_t{0}, size_t{50}, size_t{63}}) {
    Renew(debug_flags);
    auto* object = static_cast<char*>(debug_->Alloc(64));
    debug_->Free(object);
    object[at] = 0x13;
    EXPECT_FALSE(debug_->Check().ok());
    ExpectOneReport("Poison overwritten");
    // Mended: the next look finds nothing.
    EXPECT_TRUE(debug_->Check().ok());
  }
}

TEST_F(DebugEngineTest, ReportsSayWhereAndWho) {
  auto* object = static_cast<char*>(debug_->Alloc(64));
  object[64] = 0x12;
  debug_->ValidateAll();
  ASSERT_EQ(reports.size(), 1U);
  for (const char* part :
       {"BUG kmalloc-64: Right Redzone overwritten", "@offset=64",
        "First byte 0x12 instead of 0xcc", "Allocated in 0x", "cpu=", "Object ",
        "5a 5a", "Redzone"}) {
    EXPECT_NE(reports[0].find(part), std::string::npos) << part;
  }
  debug_->Free(object);
}

TEST_F(DebugEngineTest, DoubleFreesAreFoundAtOnceAndLater) {
  void* first = debug_->Alloc(32);
  void* second = debug_->Alloc(32);
  debug_->Free(first);
  debug_->Free(first);
  ExpectOneReport("already free");
  debug_->Free(second);
  debug_->Free(first);
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(debug_->errors(), 2U);
  // Neither was taken back twice.
  const auto audit = debug_->Check();
  ASSERT_TRUE(audit.ok()) << audit.status();
  EXPECT_EQ(audit->objects_used, 0U);
}

TEST_F(DebugEngineTest, APointerIntoAnObjectIsRefused) {
  auto* object = static_cast<char*>(debug_->Alloc(128));
  debug_->Free(object + 8);
  ExpectOneReport("Invalid object pointer");
  debug_->Free(object);
  EXPECT_EQ(debug_->Check()->objects_used, 0U);
}

TEST_F(DebugEngineTest, AFlagThatIsOffFindsNothing) {
  Renew(*ParseDebugFlags("FPU"));
  auto* object = static_cast<char*>(debug_->Alloc(64));
  object[64] = 0x12;
  debug_->Free(object);
  EXPECT_TRUE(reports.empty());
  Renew(*ParseDebugFlags("FZU"));
  object = static_cast<char*>(debug_->Alloc(64));
  debug_->Free(object);
  object[10] = 0x12;
  debug_->ValidateAll();
  EXPECT_TRUE(reports.empty());
  Renew(*ParseDebugFlags("FZPUT"));
  debug_->Free(debug_->Alloc(64));
  EXPECT_EQ(reports.size(), 2U) << "a line per call";
  EXPECT_FALSE(ParseDebugFlags("FX").ok());
}

// What a page held before it came to a slab is no damage.
TEST_F(DebugEngineTest, RemainsOfAnotherCacheAreNoFinding) {
  for (const size_t bytes : {8192U, 8U, 200U, 4096U}) {
    std::vector<void*> held;
    for (int i = 0; i < 300; ++i) {
      held.push_back(debug_->Alloc(bytes));
      ASSERT_NE(held.back(), nullptr);
      std::memset(held.back(), 0x6b, bytes);
    }
    for (void* object : held) debug_->Free(object);
    debug_->Flush();
  }
  EXPECT_TRUE(reports.empty());
  EXPECT_TRUE(debug_->Check().ok());
}

// A link that leads astray is found before anybody follows it.
TEST_F(DebugEngineTest, EveryLinkOfAFreeListIsChecked) {
  for (int position = 0; position < 5; ++position) {
    Renew(debug_flags);
    std::vector<char*> held;
    for (int i = 0; i < 6; ++i) {
      held.push_back(static_cast<char*>(debug_->Alloc(64)));
    }
    for (char* object : held) debug_->Free(object);
    StoreLink(DebugObject::SlotOf(held[static_cast<size_t>(position) + 1]),
              0x1234567890);
    const auto audit = debug_->Check();
    ASSERT_FALSE(audit.ok());
    EXPECT_NE(audit.status().ToString().find("no object"), std::string::npos);
  }
}

// The oracle: what the debug engine says after a trace, every engine says.
TEST_F(DebugEngineTest, EveryEngineKeepsTheSameBooks) {
  for (const AllocatorEntry& entry : AllocatorList()) {
    if (!entry.why_not().empty() || !entry.traits.between_processes) continue;
    SCOPED_TRACE(entry.name);
    Renew(debug_flags);
    HeapOptions options;
    options.arena.max_bytes = size_t{32} << 20;
    auto heap = *Heap::Create(options);
    auto other = entry.make_exact(*heap);
    std::mt19937_64 random(99);
    std::vector<std::pair<void*, void*>> held;
    for (int phase = 0; phase < 6; ++phase) {
      for (int i = 0; i < atomics::Rounds(3000); ++i) {
        if (random() % 16 < (phase % 2 == 0 ? 10U : 6U)) {
          const size_t bytes = 1 + random() % (1U << random() % 13);
          held.emplace_back(debug_->Alloc(bytes), other->Alloc(bytes));
          ASSERT_NE(held.back().first, nullptr);
          ASSERT_NE(held.back().second, nullptr);
          ASSERT_GE(other->UsableSize(held.back().second), bytes);
        } else if (!held.empty()) {
          std::swap(held[random() % held.size()], held.back());
          debug_->Free(held.back().first);
          other->Free(held.back().second);
          held.pop_back();
        }
      }
      const auto expected = debug_->Check();
      const auto found = other->Check();
      ASSERT_TRUE(expected.ok()) << expected.status();
      ASSERT_TRUE(found.ok()) << found.status();
      EXPECT_EQ(found->objects_used, expected->objects_used);
      EXPECT_EQ(found->objects_used, held.size());
      EXPECT_EQ(other->Stats().allocs(), debug_->Stats().allocs());
      EXPECT_EQ(other->Stats().frees(), debug_->Stats().frees());
    }
    EXPECT_EQ(debug_->errors(), 0U);
  }
}

}  // namespace
}  // namespace hackbench::alloc
