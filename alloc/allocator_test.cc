// SPDX-License-Identifier: MIT
// What every engine of the list promises, whoever uses it: threads, forked
// processes, workers that are interrupted or killed, an arena that is full.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <set>

#include "alloc/allocator_list.h"
#include "alloc/corruption.h"
#include "alloc/test_storm.h"
#include "atomics/pin.h"
#include "atomics/test_workers.h"

namespace hackbench::alloc {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

std::unique_ptr<Heap> MakeHeap(size_t bytes, uint32_t num_cpus) {
  HeapOptions options;
  options.arena.max_bytes = bytes;
  options.num_cpus = num_cpus;
  auto heap = Heap::Create(options);
  if (!heap.ok()) std::abort();
  return *std::move(heap);
}

class AllocatorTest : public testing::TestWithParam<AllocatorEntry> {
 protected:
  void SetUp() override {
    if (!GetParam().why_not().empty()) GTEST_SKIP() << GetParam().why_not();
    if (!GetParam().traits.usable) GTEST_SKIP() << "hands out no memory";
    Renew();
  }
  void Renew(size_t bytes = 64 * kMiB, uint32_t num_cpus = 0) {
    allocator_.reset();
    heap_ = MakeHeap(bytes, num_cpus);
    allocator_ = GetParam().make_exact(*heap_);
  }
  // Engines whose insides are ours to audit.
  bool IsOurs() const { return GetParam().traits.between_processes; }

  void ExpectNothingUsed() {
    const absl::StatusOr<Audit> audit = allocator_->Check();
    ASSERT_TRUE(audit.ok()) << audit.status();
    EXPECT_EQ(audit->objects_used, 0U);
    EXPECT_EQ(audit->large_used, 0U);
    EXPECT_EQ(audit->pages.lost, 0U);
    const Statistics stats = allocator_->Stats();
    EXPECT_EQ(stats.allocs(), stats.frees());
  }

  std::unique_ptr<Heap> heap_;
  std::unique_ptr<AnyAllocator> allocator_;
};

std::vector<AllocatorEntry> Entries() {
  return {AllocatorList().begin(), AllocatorList().end()};
}
std::string NameOf(const testing::TestParamInfo<AllocatorEntry>& info) {
  std::string name(info.param.name);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(All, AllocatorTest, testing::ValuesIn(Entries()),
                         NameOf);

TEST_P(AllocatorTest, ObjectsOfEverySizeAreApartAlignedAndLargeEnough) {
  std::map<char*, size_t> held;
  for (size_t bytes = 0; bytes <= 40000; bytes += bytes < 300 ? 1 : 997) {
    auto* object = static_cast<char*>(allocator_->Alloc(bytes));
    ASSERT_NE(object, nullptr) << bytes;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(object) % 8, 0U);
    ASSERT_GE(allocator_->UsableSize(object), bytes);
    std::memset(object, static_cast<int>(bytes), bytes);
    held[object] = bytes;
  }
  const char* end = nullptr;
  for (const auto& [object, bytes] : held) {
    EXPECT_GE(object, end) << "overlaps its neighbour of " << bytes;
    end = object + bytes;
    for (size_t i = 0; i < bytes; ++i) {
      ASSERT_EQ(object[i], static_cast<char>(bytes)) << bytes;
    }
  }
  for (const auto& [object, bytes] : held) allocator_->Free(object);
  allocator_->Free(nullptr);
  if (IsOurs()) ExpectNothingUsed();
}

TEST_P(AllocatorTest, AccountsForEveryObjectOfARandomTrace) {
  if (!IsOurs()) GTEST_SKIP() << "not ours to audit";
  std::mt19937_64 random(7);
  std::vector<void*> held;
  uint64_t large = 0;
  for (int phase = 0; phase < 8; ++phase) {
    const int steps = atomics::Rounds(20000);
    for (int i = 0; i < steps; ++i) {
      // Grows in one phase and shrinks in the next.
      const bool grow = random() % 16 < (phase % 2 == 0 ? 10U : 6U);
      if (grow) {
        void* object = allocator_->Alloc(1 + random() % (1U << random() % 15));
        if (object == nullptr) continue;
        held.push_back(object);
      } else if (!held.empty()) {
        std::swap(held[random() % held.size()], held.back());
        allocator_->Free(held.back());
        held.pop_back();
      }
    }
    large = 0;
    const absl::StatusOr<Audit> audit = allocator_->Check();
    ASSERT_TRUE(audit.ok()) << audit.status();
    large = audit->large_used;
    EXPECT_EQ(audit->objects_used + large, held.size());
    const Statistics stats = allocator_->Stats();
    EXPECT_EQ(stats.allocs() - stats.frees(), audit->objects_used);
  }
  for (void* object : held) allocator_->Free(object);
  ExpectNothingUsed();
}

TEST_P(AllocatorTest, FlushedMemoryServesEverySizeAgain) {
  if (!IsOurs()) GTEST_SKIP() << "not ours to audit";
  if (!GetParam().traits.for_tables) GTEST_SKIP() << "needs more for its zones";
  Renew(8 * kMiB);
  // Each size in turn may have nearly all of the arena.
  for (const size_t bytes : {64U, 1024U, 8U, 8192U, 20000U, 192U}) {
    std::vector<void*> held;
    size_t total = 0;
    while (total < 6 * kMiB) {
      void* object = allocator_->Alloc(bytes);
      ASSERT_NE(object, nullptr) << bytes << " after " << total;
      held.push_back(object);
      total += allocator_->UsableSize(object);
    }
    for (void* object : held) allocator_->Free(object);
    allocator_->Flush();
    const absl::StatusOr<Audit> audit = allocator_->Check();
    ASSERT_TRUE(audit.ok()) << audit.status();
    EXPECT_EQ(audit->slabs, 0U) << bytes;
  }
  ExpectNothingUsed();
}

TEST_P(AllocatorTest, AFullArenaSaysSoAndServesAgain) {
  if (!IsOurs()) GTEST_SKIP() << "not limited";
  Renew(4 * kMiB);
  for (const size_t bytes : {32U, 4096U, 100000U}) {
    std::vector<void*> held;
    const uint64_t failures = heap_->failures();
    while (void* object = allocator_->Alloc(bytes)) held.push_back(object);
    EXPECT_GT(held.size(), bytes == 100000 ? 10U : 100U);
    EXPECT_GT(heap_->failures(), failures);
    EXPECT_EQ(allocator_->Alloc(bytes), nullptr);
    allocator_->Free(held.back());
    void* again = allocator_->Alloc(bytes);
    EXPECT_NE(again, nullptr) << "what was freed can be had again";
    held.back() = again;
    for (void* object : held) allocator_->Free(object);
    allocator_->Flush();
  }
  EXPECT_EQ(allocator_->Alloc(5 * kMiB), nullptr);
  ExpectNothingUsed();
}

// The n-th request to the page allocator, for a slab or for a sheaf fails, for
// every n in turn, alone and with all after it: nothing leaks, nothing breaks.
TEST_P(AllocatorTest, InjectedFailuresLeakNothing) {
  if (!IsOurs()) GTEST_SKIP() << "not ours to fail";
  for (uint32_t site = 0; site < kNumFaultSites; ++site) {
    for (const bool and_later : {false, true}) {
      for (uint64_t passes = 0; passes < 6; ++passes) {
        Renew(8 * kMiB);
        heap_->faults().Arm(static_cast<FaultSite>(site), passes, and_later);
        std::vector<void*> held;
        for (int i = 0; i < 1500; ++i) {
          void* object = allocator_->Alloc(i % 3 == 0 ? 8 : 700);
          if (object != nullptr) held.push_back(object);
          if (i % 3 == 1 && !held.empty()) {
            allocator_->Free(held.back());
            held.pop_back();
          }
        }
        const absl::StatusOr<Audit> audit = allocator_->Check();
        ASSERT_TRUE(audit.ok()) << audit.status();
        EXPECT_EQ(audit->objects_used, held.size());
        EXPECT_EQ(audit->pages.lost, 0U);
        heap_->faults().Disarm();
        for (void* object : held) allocator_->Free(object);
        ExpectNothingUsed();
      }
    }
  }
}

TEST_P(AllocatorTest, BulkCallsKeepTheBooks) {
  std::mt19937 random(3);
  for (const size_t count : {1U, 2U, 16U, 63U, 250U}) {
    for (const size_t bytes : {8U, 64U, 1024U, 9000U}) {
      std::vector<void*> held(count);
      ASSERT_EQ(allocator_->AllocBulk(bytes, count, held.data()), count);
      EXPECT_EQ(std::set<void*>(held.begin(), held.end()).size(), count);
      if (IsOurs()) {
        const absl::StatusOr<Audit> audit = allocator_->Check();
        ASSERT_TRUE(audit.ok()) << audit.status();
        EXPECT_EQ(audit->objects_used + audit->large_used, count);
      }
      // In order the neighbours make runs, shuffled they do not.
      if (count % 2 == 0) std::shuffle(held.begin(), held.end(), random);
      allocator_->FreeBulk(count, held.data());
      if (IsOurs()) ExpectNothingUsed();
    }
  }
}

TEST_P(AllocatorTest, ABulkCallThatCannotBeServedSaysHowFarItCame) {
  if (!IsOurs()) GTEST_SKIP() << "not limited";
  Renew(4 * kMiB);
  std::vector<void*> held(2000);
  const size_t had = allocator_->AllocBulk(4096, held.size(), held.data());
  EXPECT_GT(had, 500U);
  EXPECT_LT(had, held.size());
  allocator_->FreeBulk(had, held.data());
  ExpectNothingUsed();
}

TEST_P(AllocatorTest, DedicatedCachesKeepToThemselves) {
  const auto heads = allocator_->CreateCache("skbuff_head_cache", 232);
  const auto odd = allocator_->CreateCache("odd", 7);
  ASSERT_TRUE(heads.ok() && odd.ok());
  std::vector<void*> held;
  for (int i = 0; i < 500; ++i) {
    held.push_back(allocator_->AllocFrom(*heads));
    held.push_back(allocator_->AllocFrom(*odd));
    ASSERT_NE(held.back(), nullptr);
    EXPECT_GE(allocator_->UsableSize(held[held.size() - 2]), 232U);
  }
  EXPECT_EQ(std::set<void*>(held.begin(), held.end()).size(), held.size());
  for (void* object : held) allocator_->Free(object);
  if (IsOurs()) ExpectNothingUsed();
  EXPECT_FALSE(allocator_->CreateCache("huge", size_t{1} << 20).ok());
}

constexpr int kWorkers = 3;

// Of each worker in each storm; the nightly target asks for more.
uint64_t Operations(int native) {
  const char* const asked = std::getenv("HACKBENCH_STORM_OPERATIONS");
  return asked == nullptr ? static_cast<uint64_t>(atomics::Rounds(native))
                          : std::strtoull(asked, nullptr, 10);
}

TEST_P(AllocatorTest, ThreadsNeverShareAnObject) {
  if (!GetParam().traits.safe || !IsOurs()) GTEST_SKIP() << "not promised";
  Storm storm(*heap_, *allocator_);
  const auto operations = Operations(60000);
  atomics::RunInThreads(kWorkers, [&](int worker) {
    storm.Work(static_cast<uint32_t>(worker), operations, 11);
  });
  storm.EmptyMailboxes();
  EXPECT_EQ(storm.double_owners(), 0U);
  EXPECT_EQ(storm.overwritten(), 0U);
  EXPECT_EQ(storm.StillHeld(), 0U);
  ExpectNothingUsed();
}

TEST_P(AllocatorTest, ProcessesNeverShareAnObject) {
  if (!GetParam().traits.safe || !IsOurs()) GTEST_SKIP() << "not promised";
  Storm storm(*heap_, *allocator_);
  const auto operations = Operations(60000);
  EXPECT_TRUE(atomics::RunInProcesses(kWorkers, [&](int worker) {
    storm.Work(static_cast<uint32_t>(worker), operations, 12);
  }));
  storm.EmptyMailboxes();
  EXPECT_EQ(storm.double_owners(), 0U);
  EXPECT_EQ(storm.overwritten(), 0U);
  EXPECT_EQ(storm.StillHeld(), 0U);
  ExpectNothingUsed();
}

// Any per-thread cache of arena pointers would exist twice after this.
TEST_P(AllocatorTest, AForkInTheMiddleOfWorkDuplicatesNothing) {
  if (!GetParam().traits.safe || !IsOurs()) GTEST_SKIP() << "not promised";
  Storm storm(*heap_, *allocator_);
  const auto operations = static_cast<uint64_t>(atomics::Rounds(20000));
  for (int round = 0; round < 4; ++round) {
    storm.Work(9, operations, static_cast<uint64_t>(round));
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    storm.Work(child == 0 ? 1 : 2, operations, static_cast<uint64_t>(round));
    if (child == 0) _exit(0);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  storm.EmptyMailboxes();
  EXPECT_EQ(storm.double_owners(), 0U);
  EXPECT_EQ(storm.overwritten(), 0U);
  ExpectNothingUsed();
}

void CountSignal(int) {}

TEST_P(AllocatorTest, SignalsAndMigrationsDisturbNothing) {
  if (!GetParam().traits.safe || !IsOurs()) GTEST_SKIP() << "not promised";
  Storm storm(*heap_, *allocator_);
  const auto operations = Operations(50000);
  struct sigaction action = {};
  action.sa_handler = CountSignal;
  action.sa_flags = SA_RESTART;
  struct sigaction before = {};
  sigaction(SIGALRM, &action, &before);
  EXPECT_TRUE(atomics::RunInProcesses(kWorkers, [&](int worker) {
    // Timers are not inherited: each worker has its own.
    const itimerval often = {{0, 100}, {0, 100}};
    setitimer(ITIMER_REAL, &often, nullptr);
    const std::vector<int> cpus = atomics::AllowedCpus();
    for (int part = 0; part < 10; ++part) {
      atomics::PinToCpu(cpus[static_cast<size_t>(worker + part) % cpus.size()]);
      storm.Work(static_cast<uint32_t>(worker), operations / 10,
                 static_cast<uint64_t>(part));
    }
  }));
  sigaction(SIGALRM, &before, nullptr);
  storm.EmptyMailboxes();
  EXPECT_EQ(storm.double_owners(), 0U);
  EXPECT_EQ(storm.overwritten(), 0U);
  ExpectNothingUsed();
}

// CPU numbers may have holes and CPUs may come later: a table that ends before
// the CPU a worker runs on.
TEST_P(AllocatorTest, CpusBeyondTheTableAreServed) {
  if (!GetParam().traits.safe || !IsOurs()) GTEST_SKIP() << "not promised";
  Renew(64 * kMiB, /*num_cpus=*/1);
  Storm storm(*heap_, *allocator_);
  const uint64_t operations = Operations(20000);
  const std::vector<int> cpus = atomics::AllowedCpus();
  EXPECT_TRUE(atomics::RunInProcesses(kWorkers, [&](int worker) {
    atomics::PinToCpu(worker == 0 ? cpus.front() : cpus.back());
    storm.Work(static_cast<uint32_t>(worker), operations, 13);
  }));
  storm.EmptyMailboxes();
  EXPECT_EQ(storm.double_owners(), 0U);
  EXPECT_EQ(storm.overwritten(), 0U);
  ExpectNothingUsed();
}

// Memory that one CPU allocates and another frees must come back to the first:
// the arena does not grow beyond what is live.
TEST_P(AllocatorTest, RemoteFreesKeepTheArenaSmall) {
  if (!GetParam().traits.safe || !IsOurs() || !GetParam().traits.for_tables) {
    GTEST_SKIP() << "not promised";
  }
  constexpr size_t kBytes = 256;
  constexpr size_t kLive = 65536;  // 16 MiB.
  const std::vector<int> cpus = atomics::AllowedCpus();
  std::vector<void*> queue(kLive);
  const atomics::PinnedScope home(cpus.front());
  for (void*& object : queue) object = allocator_->Alloc(kBytes);
  // The oldest part goes on the other CPU, as much comes anew on this one.
  constexpr size_t kPart = 1024;
  size_t at = 0;
  for (int round = 0; round < atomics::Rounds(200); ++round) {
    atomics::RunInThreads(1, [&](int) {
      atomics::PinToCpu(cpus.back());
      for (size_t i = 0; i < kPart; ++i) allocator_->Free(queue[at + i]);
    });
    for (size_t i = 0; i < kPart; ++i) {
      queue[at + i] = allocator_->Alloc(kBytes);
      ASSERT_NE(queue[at + i], nullptr);
    }
    at = (at + kPart) % kLive;
  }
  const size_t peak = size_t{heap_->pages().zone().peak_used} * kPageBytes;
  EXPECT_LE(peak, kBytes * kLive * 13 / 10);
  for (void* object : queue) allocator_->Free(object);
  ExpectNothingUsed();
}

// A worker at an unknown place is killed, and its slot is handed on. What it
// held is lost; nothing else is.
class KillStorm {
 public:
  KillStorm(Storm& storm, uint32_t kills) : storm_(storm), kills_(kills) {}

  void Run() {
    for (uint32_t worker = 0; worker < kWorkers; ++worker) Start(worker);
    std::mt19937 random(5);
    for (uint32_t kill = 0; kill < kills_; ++kill) {
      // Until some work was done since the last; then at a random moment.
      const uint64_t until = storm_.operations() + 500 + random() % 5000;
      while (storm_.operations() < until) usleep(100);
      End(random() % kWorkers, SIGKILL);
    }
    for (uint32_t worker = 0; worker < kWorkers; ++worker) {
      End(worker, SIGKILL, /*again=*/false);
    }
  }

 private:
  void Start(uint32_t worker) {
    const pid_t pid = fork();
    if (pid == 0) {
      AdoptWorkerSlot(worker + 1);
      storm_.Work(worker, ~uint64_t{0},
                  ++seed_ + static_cast<uint64_t>(getpid()), 2000);
      _exit(0);
    }
    pids_[worker] = pid;
  }
  void End(uint32_t worker, int signal_number, bool again = true) {
    kill(pids_[worker], signal_number);
    waitpid(pids_[worker], nullptr, 0);
    MarkWorkerDead(worker + 1);
    if (again) Start(worker);
  }

  Storm& storm_;
  uint32_t kills_;
  uint64_t seed_ = 0;
  pid_t pids_[kWorkers] = {};
};

uint32_t StormKills() {
  const char* const asked = std::getenv("HACKBENCH_STORM_KILLS");
  return asked == nullptr ? 60 : static_cast<uint32_t>(std::atoi(asked));
}

TEST_P(AllocatorTest, TheKilledLoseOnlyWhatTheyHeld) {
  if (!GetParam().traits.safe || !IsOurs()) GTEST_SKIP() << "not promised";
  if (atomics::Rounds(100) != 100) GTEST_SKIP() << "too slow when emulated";
  if (!GetParam().traits.for_tables) {
    GTEST_SKIP() << "rightly reports what the dead had half written";
  }
  const uint32_t kills = StormKills();
  Renew(256 * kMiB);
  Storm storm(*heap_, *allocator_);
  KillStorm(storm, kills).Run();
  EXPECT_EQ(storm.double_owners(), 0U);
  EXPECT_EQ(storm.overwritten(), 0U);
  allocator_->Recover();
  storm.EmptyMailboxes();
  const absl::StatusOr<Audit> audit = allocator_->Check();
  ASSERT_TRUE(audit.ok()) << audit.status();
  EXPECT_EQ(audit->pages.lost, 0U);
  // Held is what the dead had written down, and at most one list per kill that
  // was in their hands: a slab's worth of the smallest.
  const uint64_t used = audit->objects_used + audit->large_used;
  const uint64_t held = storm.StillHeld();
  EXPECT_GE(used, held);
  EXPECT_LE(used, held + uint64_t{kills + kWorkers} * 512);
  // And the living go on.
  storm.Work(20, 20000, 1);
  EXPECT_EQ(storm.double_owners(), 0U);
}

using AllocatorDeathTest = AllocatorTest;
INSTANTIATE_TEST_SUITE_P(All, AllocatorDeathTest, testing::ValuesIn(Entries()),
                         NameOf);

TEST_P(AllocatorDeathTest, APointerThatWasNeverHandedOutIsRefused) {
  if (!IsOurs()) GTEST_SKIP() << "not ours to refuse";
  GTEST_FLAG_SET(death_test_style, "fast");
  void* const large = allocator_->Alloc(50000);
  EXPECT_DEATH(allocator_->Free(static_cast<char*>(large) + 8), "BUG");
  allocator_->Free(large);
  EXPECT_DEATH(allocator_->Free(large), "BUG");
}

// The cheap check that is always on.
TEST_P(AllocatorDeathTest, AnObjectFreedTwiceInARowIsConvicted) {
  if (!IsOurs() || !GetParam().traits.for_tables) {
    GTEST_SKIP() << "reports in its own way, or is not ours";
  }
  GTEST_FLAG_SET(death_test_style, "fast");
  const atomics::PinnedScope pinned(atomics::AllowedCpus().front());
  for (const size_t bytes : {64U, 2048U}) {
    // The child that dies leaves its locks in the arena it shares with us.
    Renew();
    void* const object = allocator_->Alloc(bytes);
    void* const other = allocator_->Alloc(bytes);
    EXPECT_NE(object, other);
    allocator_->Free(object);
    EXPECT_DEATH(
        {
          allocator_->Free(object);
          // A control does not look; it is convicted elsewhere.
          if (!GetParam().traits.safe) ReportCorruption("double free", 0);
        },
        "double free");
  }
}

TEST(AllocatorListTest, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const AllocatorEntry& entry : AllocatorList()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_FALSE(entry.summary.empty());
    EXPECT_EQ(FindAllocator(entry.name)->name, entry.name);
  }
  EXPECT_EQ(FindAllocator("slob"), nullptr);
}

TEST(AllocatorListTest, TheDefaultCanRunAndIsSafe) {
  const DefaultAllocator chosen = ChooseAllocator();
  EXPECT_TRUE(chosen.entry->why_not().empty());
  EXPECT_TRUE(chosen.entry->traits.safe);
}

}  // namespace
}  // namespace hackbench::alloc
