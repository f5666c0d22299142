// SPDX-License-Identifier: MIT
#include "hackbench/watchdog.h"

#include <fmt/format.h>
#include <unistd.h>

#include <string>

#include "hackbench/clock.h"
#include "hackbench/task_report.h"

namespace hackbench {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;
constexpr std::string_view kClearLine = "\r\033[K";

void WriteToTerminal(std::string_view text) {
  // Nothing depends on it, so a failed write is nobody's loss.
  [[maybe_unused]] const ssize_t done =
      write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

Watchdog::Watchdog(const RunPlan& plan, TaskBoard& board)
    : plan_(plan),
      board_(board),
      begun_ns_(MonotonicNs()),
      last_look_ns_(begun_ns_),
      on_terminal_(isatty(STDERR_FILENO) == 1) {}

Watchdog::~Watchdog() {
  if (line_shown_) WriteToTerminal(kClearLine);
}

std::optional<Failure> Watchdog::Look(Phase phase, uint64_t tasks) {
  const int64_t now_ns = MonotonicNs();
  if (phase == Phase::kWork && work_begun_ns_ == 0) work_begun_ns_ = now_ns;
  if (plan_.options.timeout_s > 0 &&
      now_ns - begun_ns_ >= plan_.options.timeout_s * kSecondNs) {
    return TimedOut();
  }
  if (now_ns - last_look_ns_ < kSecondNs) return std::nullopt;
  last_look_ns_ = now_ns;

  const uint64_t progress = Progress(tasks);
  still_looks_ = progress == last_progress_ ? still_looks_ + 1 : 0;
  last_progress_ = progress;
  if (plan_.options.hang_after_s > 0 &&
      still_looks_ >= plan_.options.hang_after_s) {
    return Hung(phase);
  }
  if (on_terminal_ && phase == Phase::kWork) ShowProgress(now_ns);
  return std::nullopt;
}

uint64_t Watchdog::Progress(uint64_t tasks) {
  uint64_t parts = 0;
  messages_ = 0;
  for (const TaskSlot& slot : board_.slots()) {
    // Relaxed: only whether the sum moves matters.
    messages_ += slot.messages.load(std::memory_order_relaxed);
    parts += slot.part_bytes.load(std::memory_order_relaxed);
  }
  return messages_ + parts + tasks;
}

Failure Watchdog::TimedOut() const {
  return {.outcome = Outcome::kTimedOut,
          .message = fmt::format("ended by --timeout after {} s; {}",
                                 plan_.options.timeout_s,
                                 DescribeWaiters(plan_, board_))};
}

Failure Watchdog::Hung(Phase phase) {
  return {.outcome = Outcome::kTimedOut,
          .message = fmt::format(
              "nothing moved for {} s{}; {}", plan_.options.hang_after_s,
              phase == Phase::kSetup ? " while tasks were getting ready" : "",
              DescribeWaiters(plan_, board_))};
}

void Watchdog::ShowProgress(int64_t now_ns) {
  const int64_t elapsed_ns = now_ns - work_begun_ns_;
  const double done = static_cast<double>(messages_) /
                      (2.0 * static_cast<double>(plan_.messages));
  if (elapsed_ns < 2 * kSecondNs || done <= 0) return;
  const double elapsed_s = static_cast<double>(elapsed_ns) / kSecondNs;
  const double left_s = elapsed_s / done - elapsed_s;
  WriteToTerminal(
      fmt::format("{}hackbench: {:.0f} % after {:.0f} s, about "
                  "{:.0f} s to go",
                  kClearLine, 100 * done, elapsed_s, left_s));
  line_shown_ = true;
}

}  // namespace hackbench
