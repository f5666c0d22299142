// SPDX-License-Identifier: MIT
#include "hackbench/user_plane.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "alloc/owner_lock.h"
#include "hackbench/clock.h"
#include "hackbench/user_cell.h"

namespace hackbench {
namespace {

constexpr size_t kLineBytes = 64;
constexpr int64_t kLongStepNs = 50'000;

size_t RoundToLines(size_t bytes) {
  return (bytes + kLineBytes - 1) / kLineBytes * kLineBytes;
}

// Ticks of the cycle counter in a microsecond, roughly.
uint64_t CyclesPerUs() {
  constexpr int64_t kSpanNs = 2'000'000;
  const int64_t begin_ns = MonotonicNs();
  const uint64_t begin = atomics::Cpu::ReadCycles();
  while (MonotonicNs() - begin_ns < kSpanNs) {
  }
  const uint64_t cycles = atomics::Cpu::ReadCycles() - begin;
  return std::max<uint64_t>(1, cycles * 1000 / kSpanNs);
}

// Two looks at the counter with nothing between.
uint64_t ClockCycles() {
  uint64_t least = UINT64_MAX;
  for (int i = 0; i < 1000; ++i) {
    const uint64_t begin = atomics::Cpu::ReadCycles();
    least = std::min(least, atomics::Cpu::ReadCycles() - begin);
  }
  return least;
}

void AddTo(UserTally& sum, const UserTally& tally) {
  for (size_t i = 0; i < sum.lock_events.counts.size(); ++i) {
    sum.lock_events.counts[i] += tally.lock_events.counts[i];
  }
  for (uint64_t UserTally::*const count :
       {&UserTally::wakeups, &UserTally::reader_sleeps,
        &UserTally::space_sleeps, &UserTally::allocations,
        &UserTally::allocated_bytes, &UserTally::frees, &UserTally::cross_cpu,
        &UserTally::registrations, &UserTally::coop_switches,
        &UserTally::sampled_messages}) {
    sum.*count += tally.*count;
  }
  for (size_t i = 0; i < kNumSteps; ++i) {
    sum.steps[i].samples += tally.steps[i].samples;
    sum.steps[i].cycles += tally.steps[i].cycles;
    sum.steps[i].interrupted += tally.steps[i].interrupted;
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<UserPlane>> UserPlane::Create(
    const RunPlan& plan) {
  std::unique_ptr<UserPlane> plane(new UserPlane(plan));
  for (const auto step :
       {&UserPlane::MakeHeap, &UserPlane::MakeArena, &UserPlane::MakeShared}) {
    absl::Status status = (plane.get()->*step)();
    if (!status.ok()) return status;
  }
  plane->Measure();
  return plane;
}

const UserLoops& UserPlane::loops() const {
  return parts_.model == MessageModel::kPipe ? parts_.cell->pipe
                                             : parts_.cell->socket;
}

absl::Status UserPlane::MakeHeap() {
  // Twice what all queues hold when full, so that no allocator that keeps
  // objects back runs out where another does not.
  constexpr size_t kLeastBytes = size_t{256} << 20;
  run_.truesize = std::min<uint64_t>(plan_.workload.datasize, kPieceBytes) +
                  kHeadBytes + kDataOverheadBytes;
  const size_t per_queue =
      2 * (kSendBufferBytes + plan_.workload.fds * run_.truesize);
  alloc::HeapOptions options;
  options.arena.max_bytes = std::max(kLeastBytes, 2 * endpoints() * per_queue);
  auto heap = alloc::Heap::Create(options);
  if (!heap.ok()) return heap.status();
  heap_ = *std::move(heap);
  alloc::ReportBusErrors(heap_->arena());
  allocator_ = alloc::MakeRacy(*parts_.allocator, *heap_);
  run_.allocator = allocator_.get();
  run_.heap_base = reinterpret_cast<uintptr_t>(heap_->base());
  if (parts_.message_alloc == MessageAlloc::kNone) return absl::OkStatus();

  const auto heads = allocator_->CreateCache("skbuff_head", kHeadBytes);
  if (!heads.ok()) return heads.status();
  run_.heads = *heads;
  return absl::OkStatus();
}

size_t UserPlane::TableBytes() const {
  return RoundToLines(parts_.rwlock->bytes) +
         RoundToLines(std::bit_ceil(plan_.workload.fds) * sizeof(void*));
}

absl::Status UserPlane::MakeArena() {
  // A lock may take memory of its own beside what it is made in.
  constexpr size_t kBesideLock = 2 * kLineBytes;
  const size_t groups = plan_.options.groups;
  run_.endpoint_bytes = RoundToLines(loops().endpoint_bytes);
  // Some locks own a node.
  const uint64_t nodes_of_tasks = 1 + plan_.tasks * sync::kNodesPerTask;
  const uint64_t wanted = endpoints() + groups;
  const uint64_t left =
      sync::kMaxNodes - std::min<uint64_t>(nodes_of_tasks, sync::kMaxNodes);
  auto arena = sync::Arena::Map(
      {.tasks = static_cast<uint32_t>(plan_.tasks),
       .spare_nodes = static_cast<uint32_t>(std::min(wanted, left)),
       .lock_bytes = endpoints() * (run_.endpoint_bytes + kBesideLock) +
                     groups * (TableBytes() + kBesideLock) + kPipePageBytes});
  if (!arena.ok()) return arena.status();
  arena_.emplace(*std::move(arena));
  run_.arena = &*arena_;
  return absl::OkStatus();
}

absl::Status UserPlane::MakeShared() {
  size_t ring_bytes = 0;  // Of one endpoint.
  if (parts_.model == MessageModel::kPipe) {
    run_.piece_bytes = SIZE_MAX;
    if (parts_.message_alloc == MessageAlloc::kNone) {
      ring_bytes = kPipeBuffers * kPipePageBytes;
    }
  } else {
    // Each sender may find space at the same time.
    const auto slots = std::bit_ceil(static_cast<uint32_t>(
        kSendBufferBytes / run_.truesize + plan_.workload.fds + 2));
    run_.ring_mask = slots - 1;
    run_.slot_bytes = RoundToLines(
        sizeof(MessageHead) + std::min(plan_.workload.datasize, kPieceBytes));
    ring_bytes = slots * (parts_.message_alloc == MessageAlloc::kNone
                              ? run_.slot_bytes
                              : sizeof(MessageHead*));
  }
  if (ring_bytes > 0) {
    absl::Status status = rings_.Map(endpoints() * ring_bytes, "the queues");
    if (!status.ok()) return status;
  }
  absl::Status status =
      tallies_.Map(plan_.tasks * sizeof(UserTally), "the tasks' counts");
  if (!status.ok()) return status;
  run_.tallies = tallies_.As<UserTally>().data();
  run_.num_cpus = heap_->num_cpus();
  status =
      requests_.Map(run_.num_cpus * sizeof(sync::CpuRequest), "the requests");
  if (parts_.hz > 0) run_.requests = requests_.As<sync::CpuRequest>().data();
  return status;
}

// What costs time to find out, and is the same for all launches.
void UserPlane::Measure() {
  run_.parts = &parts_;
  run_.wake = plan_.transport->traits.has_descriptors ? &kByteWakeLine
                                                      : &kFutexWakeLine;
  run_.wait_budget = sync::WaitBudget::Calibrated();
  run_.phases = plan_.options.phases;
  if (run_.phases) {
    run_.long_step_cycles = CyclesPerUs() * kLongStepNs / 1000;
    run_.clock_cycles = ClockCycles();
  }
  // What is reported as a message's bytes is what the allocator hands out.
  const size_t piece = std::min(plan_.workload.datasize, kPieceBytes);
  const auto usable = [this](size_t bytes) {
    void* const object = allocator_->Alloc(bytes);
    const size_t size = object == nullptr ? 0 : allocator_->UsableSize(object);
    allocator_->Free(object);
    return size;
  };
  switch (parts_.message_alloc) {
    case MessageAlloc::kSkb:
      run_.head_bytes = usable(kHeadBytes);
      run_.data_bytes = usable(piece + kDataOverheadBytes);
      break;
    case MessageAlloc::kFixed:
      run_.data_bytes = usable(parts_.fixed_bytes);
      break;
    case MessageAlloc::kPage:
      run_.data_bytes = usable(kPipePageBytes);
      break;
    case MessageAlloc::kNone:
      break;
  }
}

absl::Status UserPlane::Reset() {
  const auto full = [] {
    return absl::ResourceExhaustedError(
        "no room for the locks of so many groups; use fewer --groups");
  };
  arena_->Clear();
  run_.endpoints = static_cast<std::byte*>(
      arena_->Allocate(endpoints() * run_.endpoint_bytes));
  if (run_.endpoints == nullptr) return full();
  tables_.assign(plan_.options.groups, {});
  run_.tables = tables_.data();
  for (uint32_t group = 0; group < tables_.size(); ++group) {
    if (!MakeTable(group)) return full();
    for (uint32_t i = 0; i < plan_.workload.fds; ++i) {
      if (!MakeEndpoint(group, i)) return full();
    }
  }
  std::memset(tallies_.data(), 0, tallies_.bytes());
  std::memset(requests_.data(), 0, requests_.bytes());
  slab_before_ = allocator_->Stats();
  ticks_ = 0;
  return absl::OkStatus();
}

bool UserPlane::MakeTable(uint32_t group) {
  EndpointTable& table = tables_[group];
  const uint32_t buckets = std::bit_ceil(plan_.workload.fds);
  table.lock = arena_->Allocate(parts_.rwlock->bytes);
  table.buckets = static_cast<EndpointHead**>(
      arena_->Allocate(buckets * sizeof(EndpointHead*)));
  table.mask = buckets - 1;
  return table.lock != nullptr && table.buckets != nullptr &&
         parts_.rwlock->make(table.lock, *arena_);
}

bool UserPlane::MakeEndpoint(uint32_t group, uint32_t receiver) {
  const uint64_t number = uint64_t{group} * plan_.workload.fds + receiver;
  EndpointHead& endpoint = EndpointAt(number);
  std::byte* const ring =
      rings_.data() == nullptr
          ? nullptr
          : rings_.data() + number * (rings_.bytes() / endpoints());
  if (parts_.model == MessageModel::kPipe) {
    static_cast<PipeEndpointBase&>(endpoint).queue.pages = ring;
  } else {
    static_cast<SocketEndpointBase&>(endpoint).queue.ring = ring;
  }
  endpoint.key = receiver;
  tables_[group].Insert(endpoint);
  return parts_.refcount->make(endpoint.refcount, *arena_) &&
         loops().make_lock(&endpoint, *arena_);
}

EndpointHead& UserPlane::EndpointAt(uint64_t number) const {
  return *reinterpret_cast<EndpointHead*>(run_.endpoints +
                                          number * run_.endpoint_bytes);
}

void UserPlane::StartTicker() {
  if (parts_.hz == 0) return;
  ticker_.emplace(requests_.As<sync::CpuRequest>(), parts_.hz);
}

void UserPlane::StopTicker() {
  if (!ticker_) return;
  ticks_ = ticker_->ticks();
  ticker_.reset();
}

bool UserPlane::RunTask(const TaskContext& context) {
  // Slot 0 is main's and of those that have none.
  alloc::AdoptWorkerSlot(context.task + 1);
  sync::coop_state = {.requests = run_.requests, .num_cpus = run_.num_cpus};
  UserTask task(run_, context);
  bool done = false;
  const auto work = [&] { done = loops().run(task); };
  // Once where both are of a kind: a session is the task's.
  if (parts_.rwlock == parts_.lock) {
    parts_.lock->in_session(work);
  } else {
    parts_.rwlock->in_session([&] { parts_.lock->in_session(work); });
  }
  task.Publish();
  return done;
}

UserTally UserPlane::Sum() const {
  UserTally sum;
  for (const UserTally& tally : tallies_.As<UserTally>()) AddTo(sum, tally);
  return sum;
}

UserFigures UserPlane::Collect() const {
  UserFigures figures{.tally = Sum(),
                      .slab = allocator_->Stats(),
                      .ticks = ticks_,
                      .clock_cycles = run_.clock_cycles,
                      .arena = heap_->arena().Describe()};
  for (size_t i = 0; i < figures.slab.counts.size(); ++i) {
    figures.slab.counts[i] -= slab_before_.counts[i];
  }
  return figures;
}

UserPlane::Remains UserPlane::LeftInQueues() const {
  Remains left;
  for (uint64_t number = 0; number < endpoints(); ++number) {
    EndpointHead& endpoint = EndpointAt(number);
    left.tokens += endpoint.reader_tokens + endpoint.space_tokens;
    if (parts_.model == MessageModel::kPipe) {
      const PipeQueue& queue = static_cast<PipeEndpointBase&>(endpoint).queue;
      left.entries += queue.head - queue.tail;
      left.sleepers += queue.reader_asleep + queue.space_sleepers;
    } else {
      const SocketQueue& queue =
          static_cast<SocketEndpointBase&>(endpoint).queue;
      left.entries += queue.appended - queue.taken;
      left.sleepers += queue.reader_asleep + queue.space_sleepers;
    }
  }
  return left;
}

uint64_t UserPlane::LeftHolds() const {
  uint64_t left = 0;
  for (uint64_t number = 0; number < endpoints(); ++number) {
    left += parts_.refcount->count(EndpointAt(number).refcount) != 0;
  }
  return left;
}

absl::Status UserPlane::Audit() {
  const absl::StatusOr<alloc::Audit> heap = allocator_->Check();
  if (!heap.ok()) return heap.status();
  const UserTally tally = Sum();
  const uint64_t objects = heap->objects_used + heap->large_used;
  const Remains left = LeftInQueues();
  const uint64_t holds = LeftHolds();
  if (objects == 0 && tally.allocations == tally.frees &&
      left.entries + left.sleepers + left.tokens + holds == 0) {
    return absl::OkStatus();
  }
  return absl::DataLossError(fmt::format(
      "the audit failed: {} objects in use after the end, {} allocated and {} "
      "freed, {} messages, {} sleepers and {} tokens left in queues, {} "
      "endpoints still held; lost without a death, so --alloc {} or --lock {} "
      "is broken and the time is not one",
      objects, tally.allocations, tally.frees, left.entries, left.sleepers,
      left.tokens, holds, parts_.allocator->name, parts_.lock->name));
}

std::string UserPlane::DescribeRemains() {
  for (uint32_t slot = 1; slot <= plan_.tasks; ++slot) {
    alloc::MarkWorkerDead(slot);
  }
  allocator_->Recover();
  const absl::StatusOr<alloc::Audit> heap = allocator_->Check();
  if (!heap.ok()) {
    return fmt::format("the arena could not be repaired: {}",
                       std::string(heap.status().message()));
  }
  return fmt::format(
      "the arena was repaired; {} objects were left in it, {} {} in queues",
      heap->objects_used + heap->large_used, LeftInQueues().entries,
      parts_.model == MessageModel::kPipe ? "pages" : "messages");
}

}  // namespace hackbench
