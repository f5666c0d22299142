// SPDX-License-Identifier: MIT
#include "hackbench/launch.h"

#include <absl/container/inlined_vector.h>
#include <alloca.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <vector>

#include "hackbench/clock.h"
#include "hackbench/placement.h"
#include "hackbench/system_error.h"
#include "hackbench/task_host.h"
#include "hackbench/unique_fd.h"
#include "hackbench/user_plane.h"
#include "hackbench/watchdog.h"

namespace hackbench {
namespace {

// How long main sleeps before it looks for signals and at the watchdog.
constexpr int64_t kSliceNs = 50'000'000;

// The descriptors that only a receiver uses; a sender has none.
struct ReceiverEnds {
  int read_fd = -1;
  int space_fd = -1;
};

constexpr size_t kPageBytes = 4096;

int64_t ToNs(const timeval& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + int64_t{time.tv_usec} * 1000;
}

// Main and the children it has waited for.
ResourceUse UseSoFar() {
  ResourceUse use;
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    use.user_ns += ToNs(usage.ru_utime);
    use.system_ns += ToNs(usage.ru_stime);
    use.voluntary_switches += usage.ru_nvcsw;
    use.involuntary_switches += usage.ru_nivcsw;
    use.minor_faults += usage.ru_minflt;
    use.major_faults += usage.ru_majflt;
    use.max_rss_bytes =
        std::max<int64_t>(use.max_rss_bytes, int64_t{usage.ru_maxrss} * 1024);
  }
  return use;
}

ResourceUse Difference(const ResourceUse& after, const ResourceUse& before) {
  return {
      .user_ns = after.user_ns - before.user_ns,
      .system_ns = after.system_ns - before.system_ns,
      .voluntary_switches =
          after.voluntary_switches - before.voluntary_switches,
      .involuntary_switches =
          after.involuntary_switches - before.involuntary_switches,
      .minor_faults = after.minor_faults - before.minor_faults,
      .major_faults = after.major_faults - before.major_faults,
      .max_rss_bytes = after.max_rss_bytes,
  };
}

struct Pipe {
  UniqueFd read_end;
  UniqueFd write_end;
};

absl::StatusOr<Pipe> OpenPipe() {
  int fds[2];
  if (pipe(fds) != 0) return ErrnoStatus(errno, "pipe of the start gate");
  return Pipe{UniqueFd(fds[0]), UniqueFd(fds[1])};
}

Failure ToFailure(const absl::Status& status) {
  return {.message = std::string(status.message())};
}

// The descriptors of one group that main still holds. Processes take theirs
// along, so main then keeps no read ends.
struct Group {
  // Inline, because main writes it between two forks: see StartGroup.
  using Fds = absl::InlinedVector<int, 64>;

  Group() = default;
  ~Group() {
    for (const Fds* const fds : {&read_fds, &write_fds}) {
      for (const int fd : *fds) close(fd);
    }
    for (const int fd : back_fds) close(fd);
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  Fds read_fds;
  Fds write_fds;
  // User plane: where senders wait for space, and, of one-way channels, the
  // descriptors of the way back that main still holds.
  std::vector<int> space_fds;
  std::vector<int> back_fds;
};

// One launch from first channel to last task.
class RunningLaunch {
 public:
  RunningLaunch(const RunPlan& plan, SignalGate& signals, TaskBoard& board,
                UserPlane* user_plane, std::byte* buffers, size_t stride)
      : plan_(plan),
        signals_(signals),
        board_(board),
        user_plane_(user_plane),
        buffers_(buffers),
        stride_(stride),
        watchdog_(plan, board),
        transport_(plan.transport->make({.nodelay = plan.options.nodelay})) {}

  RunningLaunch(const RunningLaunch&) = delete;
  RunningLaunch& operator=(const RunningLaunch&) = delete;

  // Fills the times; a failure leaves no task behind, except threads.
  std::optional<Failure> Run(LaunchResult& result, bool& left_threads) {
    std::optional<Failure> failure = RunToEnd(result);
    if (failure && host_ != nullptr) left_threads = !host_->KillAll();
    if (user_plane_ == nullptr) return failure;
    user_plane_->StopTicker();
    if (!failure) return AuditUserPlane();
    // Threads that are left may be writing to it.
    if (host_ != nullptr && !left_threads) {
      failure->message.append("\n  ").append(user_plane_->DescribeRemains());
    }
    return failure;
  }

 private:
  using Step = std::optional<Failure> (RunningLaunch::*)();

  std::optional<Failure> RunToEnd(LaunchResult& result) {
    const int64_t begun_ns = MonotonicNs();
    for (const Step step :
         {&RunningLaunch::OpenGate, &RunningLaunch::StartTasks,
          &RunningLaunch::AwaitReady}) {
      if (std::optional<Failure> failure = (this->*step)()) return failure;
    }
    const int64_t start_ns = MonotonicNs();
    for (const Step step :
         {&RunningLaunch::Wake, &RunningLaunch::CollectTasks}) {
      if (std::optional<Failure> failure = (this->*step)()) return failure;
    }
    const int64_t end_ns = MonotonicNs();

    const int64_t last_message_ns = LastMessageNs();
    result.setup_ns = start_ns - begun_ns;
    result.total_ns = end_ns - start_ns;
    result.work_ns = last_message_ns - start_ns;
    result.reap_ns = end_ns - last_message_ns;
    return std::nullopt;
  }

  std::optional<Failure> AuditUserPlane() {
    const absl::Status status = user_plane_->Audit();
    if (status.ok()) return std::nullopt;
    return ToFailure(status);
  }

  std::optional<Failure> OpenGate() {
    for (Pipe* const pipe : {&ready_, &wake_}) {
      absl::StatusOr<Pipe> opened = OpenPipe();
      if (!opened.ok()) return ToFailure(opened.status());
      *pipe = *std::move(opened);
    }
    const HostContext context{.plan = plan_,
                              .board = board_,
                              .signals = signals_,
                              .gate = {.ready_write_fd = ready_.write_end.get(),
                                       .wake_read_fd = wake_.read_end.get()},
                              .wake_write_fd = wake_.write_end.get()};
    host_ = plan_.options.mode == Mode::kThread ? MakeThreadHost(context)
                                                : MakeProcessHost(context);
    return std::nullopt;
  }

  std::optional<Failure> StartTasks() {
    if (std::optional<Failure> failure =
            host_->has_own_descriptors() ? StartProcesses() : StartThreads()) {
      return failure;
    }
    if (!plan_.options.main_fifo) return std::nullopt;
    absl::Status status = MakeMainFifo();
    if (!status.ok()) return ToFailure(status);
    return std::nullopt;
  }

  // Each page that main writes between two forks costs every task a page copy
  // in main, three times as dear as one in the task. So what changes there
  // stands on the stack, and the frames of the loop at the top of one page.
  [[gnu::noinline]] std::optional<Failure> StartProcesses() {
    const auto frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    auto* const skipped =
        static_cast<volatile std::byte*>(alloca(frame % kPageBytes));
    *skipped = std::byte{0};
    return StartProcessGroups();
  }

  [[gnu::noinline]] std::optional<Failure> StartProcessGroups() {
    for (uint32_t number = 0; number < plan_.options.groups; ++number) {
      // A task copies it in the fork.
      Group group;
      if (auto failure = StartGroup(number, group)) return failure;
    }
    return std::nullopt;
  }

  std::optional<Failure> StartThreads() {
    groups_ = std::vector<Group>(plan_.options.groups);
    contexts_.reserve(plan_.tasks);
    for (uint32_t number = 0; number < groups_.size(); ++number) {
      if (auto failure = StartGroup(number, groups_[number])) return failure;
    }
    return std::nullopt;
  }

  std::optional<Failure> StartGroup(uint32_t number, Group& group) {
    const uint32_t fds = plan_.workload.fds;
    // Reserved in full: threads hold spans of it while it grows.
    group.write_fds.reserve(fds);
    if (user_plane_ != nullptr) group.space_fds.reserve(fds);
    if (!host_->has_own_descriptors()) group.read_fds.reserve(fds);
    for (uint32_t i = 0; i < fds; ++i) {
      if (auto failure = StartReceiver(number, i, group)) return failure;
    }
    for (uint32_t i = 0; i < fds; ++i) {
      if (auto failure = StartTask(number, fds + i, {}, group)) {
        return failure;
      }
    }
    return std::nullopt;
  }

  std::optional<Failure> StartReceiver(uint32_t number, uint32_t index,
                                       Group& group) {
    Channel channel;
    absl::Status status = transport_->Open(channel);
    if (!status.ok()) {
      return Failure{.message =
                         fmt::format("group {}, channel {}: {}", number, index,
                                     std::string(status.message()))};
    }
    group.write_fds.push_back(channel.write_fd);
    const bool shared = !host_->has_own_descriptors();
    if (shared) group.read_fds.push_back(channel.read_fd);
    ReceiverEnds ends{.read_fd = channel.read_fd};
    UniqueFd back_write;
    if (user_plane_ != nullptr) {
      if (auto failed = OpenWayBack(channel, group, back_write)) return failed;
      ends.space_fd = back_write.get() < 0 ? channel.read_fd : back_write.get();
    }
    auto failure = StartTask(number, index, ends, group);
    if (!shared) close(channel.read_fd);
    // Threads have no ends of their own to close.
    if (shared && back_write.get() >= 0) {
      group.back_fds.push_back(back_write.release());
    }
    return failure;
  }

  // How senders hear that there is room again: over the channel itself, or
  // over a second one when the first goes one way.
  std::optional<Failure> OpenWayBack(const Channel& channel, Group& group,
                                     UniqueFd& back_write) {
    const TransportTraits& traits = plan_.transport->traits;
    if (traits.two_way || !traits.has_descriptors) {
      group.space_fds.push_back(channel.write_fd);
      return std::nullopt;
    }
    Channel back;
    absl::Status status = transport_->Open(back);
    if (!status.ok()) return ToFailure(status);
    back_write = UniqueFd(back.write_fd);
    group.space_fds.push_back(back.read_fd);
    group.back_fds.push_back(back.read_fd);
    return std::nullopt;
  }

  // `place` among the tasks of the group: receivers first, then senders.
  std::optional<Failure> StartTask(uint32_t group_number, uint32_t place,
                                   ReceiverEnds ends, const Group& group) {
    const uint32_t fds = plan_.workload.fds;
    const bool is_sender = place >= fds;
    const size_t task = group_number * plan_.tasks_per_group() + place;
    std::byte* const buffer = buffers_ + task * stride_;
    TaskContext context{
        .workload = &plan_.workload,
        .user_plane = user_plane_,
        .task = static_cast<uint32_t>(task),
        .group = group_number,
        .index = is_sender ? place - fds : place,
        .is_sender = is_sender,
        .read_fd = ends.read_fd,
        .write_fds = group.write_fds,
        .space_fd = ends.space_fd,
        .space_fds = group.space_fds,
        .slot = &board_.slot(task),
        .buffer = {buffer, plan_.workload.datasize},
        .scratch = buffer + ScratchOffset(plan_.workload),
        .histogram = nullptr,
    };
    if (plan_.workload.latency && !is_sender) {
      context.histogram = HistogramOf(size_t{group_number} * fds + place);
    }
    if (!host_->has_own_descriptors()) contexts_.push_back(context);
    absl::Status status = host_->Start(
        task, host_->has_own_descriptors() ? context : contexts_.back());
    if (!status.ok()) return ToFailure(status);
    // Often enough to answer Ctrl-C at once.
    constexpr size_t kStartsPerLook = 16;
    return task % kStartsPerLook == 0 ? LookAround(task + 1) : std::nullopt;
  }

  Histogram* HistogramOf(size_t receiver) {
    return static_cast<Histogram*>(board_.extra()) + receiver;
  }

  // Signals, deaths and limits of time, without waiting.
  std::optional<Failure> LookAround(size_t started) {
    if (std::optional<Failure> failure = host_->Collect(0)) return failure;
    return watchdog_.Look(Watchdog::Phase::kSetup, started + ready_count_);
  }

  std::optional<Failure> AwaitReady() {
    std::array<char, 4096> bytes;
    while (ready_count_ < plan_.tasks) {
      pollfd ready{.fd = ready_.read_end.get(), .events = POLLIN, .revents = 0};
      if (poll(&ready, 1, kSliceNs / 1'000'000) > 0) {
        const ssize_t got = read(ready.fd, bytes.data(), bytes.size());
        if (got > 0) ready_count_ += static_cast<size_t>(got);
        if (ready_count_ == plan_.tasks) break;
      }
      if (std::optional<Failure> failure = LookAround(plan_.tasks)) {
        return failure;
      }
    }
    return std::nullopt;
  }

  std::optional<Failure> Wake() {
    if (user_plane_ != nullptr) user_plane_->StartTicker();
    constexpr char kGo = 'G';
    if (write(wake_.write_end.get(), &kGo, 1) == 1) return std::nullopt;
    return ToFailure(ErrnoStatus(errno, "writing the start byte"));
  }

  std::optional<Failure> CollectTasks() {
    while (host_->collected() < plan_.tasks) {
      if (auto failure = host_->Collect(kSliceNs)) return failure;
      if (auto failure =
              watchdog_.Look(Watchdog::Phase::kWork, host_->collected())) {
        return failure;
      }
    }
    return std::nullopt;
  }

  int64_t LastMessageNs() {
    int64_t last_ns = 0;
    for (const TaskSlot& slot : board_.slots()) {
      // Acquire: pairs with the release at the end of the task.
      last_ns =
          std::max(last_ns, slot.finished_ns.load(std::memory_order_acquire));
    }
    return last_ns;
  }

 public:
  // Where a task's --verify bookkeeping stands behind its message.
  static size_t ScratchOffset(const Workload& workload) {
    return (workload.datasize + 63) / 64 * 64;
  }

 private:
  const RunPlan& plan_;
  SignalGate& signals_;
  TaskBoard& board_;
  UserPlane* user_plane_;
  std::byte* buffers_;
  size_t stride_;
  Watchdog watchdog_;
  std::unique_ptr<Transport> transport_;
  Pipe ready_;
  Pipe wake_;
  std::unique_ptr<TaskHost> host_;
  std::vector<Group> groups_;
  std::vector<TaskContext> contexts_;  // Threads only.
  size_t ready_count_ = 0;
};

}  // namespace

Launcher::Launcher(const RunPlan& plan, SignalGate& signals)
    : plan_(plan), signals_(signals) {}

Launcher::~Launcher() {
  if (buffers_ != nullptr && !left_threads_) munmap(buffers_, buffer_bytes_);
  // Threads that are left still use it; they end with the process.
  if (left_threads_) [[maybe_unused]]
    auto* const kept = user_plane_.release();
}

absl::Status Launcher::Prepare() {
  const Workload& workload = plan_.workload;
  const uint64_t receivers = plan_.tasks / 2;
  absl::Status status = board_.Map(
      plan_.tasks, workload.latency ? receivers * sizeof(Histogram) : 0);
  if (!status.ok()) return status;

  const size_t one =
      RunningLaunch::ScratchOffset(workload) +
      (ScratchBytes(workload.verify, workload.fds) + 63) / 64 * 64;
  const bool threads = plan_.options.mode == Mode::kThread;
  // Processes inherit one untouched buffer and each gets pages of its own.
  stride_ = threads ? one : 0;
  buffer_bytes_ = threads ? one * plan_.tasks : one;
  void* const base = mmap(nullptr, buffer_bytes_, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return ErrnoStatus(errno, "mmap of the messages");
  buffers_ = static_cast<std::byte*>(base);
  if (!plan_.user) return absl::OkStatus();
  auto user_plane = UserPlane::Create(plan_);
  if (!user_plane.ok()) return user_plane.status();
  user_plane_ = *std::move(user_plane);
  return absl::OkStatus();
}

LaunchResult Launcher::Run() {
  LaunchResult result;
  board_.Clear();
  if (buffers_ != nullptr) madvise(buffers_, buffer_bytes_, MADV_DONTNEED);
  if (user_plane_ != nullptr) {
    const absl::Status status = user_plane_->Reset();
    if (!status.ok()) {
      result.failure = ToFailure(status);
      return result;
    }
  }
  const ResourceUse before = UseSoFar();
  auto launch = std::make_unique<RunningLaunch>(
      plan_, signals_, board_, user_plane_.get(), buffers_, stride_);
  std::optional<Failure> failure = launch->Run(result, left_threads_);
  // Threads that are left still use its descriptors and contexts.
  if (left_threads_) [[maybe_unused]]
    auto* const kept = launch.release();
  launch.reset();
  result.done = !failure.has_value();
  if (failure) result.failure = *std::move(failure);
  result.use = Difference(UseSoFar(), before);
  const size_t fds = plan_.workload.fds;
  for (size_t task = 0; task < plan_.tasks; ++task) {
    if (task % (2 * fds) >= fds) continue;
    // Relaxed: the tasks have ended.
    result.messages +=
        board_.slot(task).messages.load(std::memory_order_relaxed);
  }
  if (user_plane_ != nullptr && result.done) {
    result.user = user_plane_->Collect();
  }
  if (plan_.workload.latency && result.done) {
    result.latency = std::make_unique<Histogram>();
    const auto* const histograms =
        static_cast<const Histogram*>(board_.extra());
    for (size_t i = 0; i < plan_.tasks / 2; ++i) {
      result.latency->Merge(histograms[i]);
    }
  }
  return result;
}

}  // namespace hackbench
