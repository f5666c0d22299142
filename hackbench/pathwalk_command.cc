// SPDX-License-Identifier: MIT
// `hackbench pathwalk`: the test that lockref was born with, on the running
// kernel. Tasks look paths up for a fixed time; "Total loops: N" is the figure.
#include <absl/status/status.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>

#include "atomics/pin.h"
#include "hackbench/clock.h"
#include "hackbench/command_list.h"
#include "hackbench/lock_tasks.h"
#include "hackbench/lock_words.h"
#include "hackbench/log.h"
#include "hackbench/stdio.h"
#include "hackbench/system_error.h"
#include "sync/access.h"

namespace hackbench {
namespace {

namespace po = boost::program_options;

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;
constexpr int64_t kNsPerSecond = 1'000'000'000;
constexpr uint64_t kLoopsPerLook = 16;  // At the clock.

enum class PathOp { kStat, kAccess, kOpen, kMixed };
constexpr std::array<std::pair<std::string_view, PathOp>, 4> kOps = {{
    {"stat", PathOp::kStat},
    {"access", PathOp::kAccess},
    {"open", PathOp::kOpen},
    {"mixed", PathOp::kMixed},
}};

struct PathwalkOptions {
  PathOp op = PathOp::kStat;
  bool separate = false;
  uint32_t depth = 3;
  uint32_t tasks = 0;  // 0: one per CPU.
  bool processes = false;
  int64_t seconds = 10;
  bool list = false;
  bool help = false;
};

struct alignas(128) WalkSlot {
  uint64_t loops;
  int64_t elapsed_ns;
  int32_t error;
};

po::options_description Description() {
  po::options_description description("hackbench pathwalk [OPTION]...");
  const auto text = [] { return po::value<std::string>(); };
  auto add = description.add_options();
  add("op", text(), "stat, access, open or mixed (stat)");
  add("path", text(), "same or separate (same)");
  add("depth", text(), "directories above the file (3)");
  add("tasks", text(), "tasks (one per CPU)");
  add("workers", text(), "thread or process (thread)");
  add("seconds", text(), "how long (10)");
  add("list", "the operations");
  add("help", "this text");
  return description;
}

absl::StatusOr<PathwalkOptions> FromMap(const po::variables_map& map) {
  PathwalkOptions options;
  options.list = map.count("list") != 0;
  options.help = map.count("help") != 0;
  const auto given = [&](const char* name) { return map.count(name) != 0; };
  const auto text = [&](const char* name) {
    return map[name].as<std::string>();
  };
  absl::Status status;
  if (given("op")) {
    std::vector<std::string_view> names;
    for (const auto& [name, op] : kOps) {
      names.push_back(name);
      if (name == text("op")) options.op = op;
    }
    status = CheckName("--op", text("op"), names, "stat, access, open, mixed");
  }
  if (status.ok() && given("path")) {
    options.separate = text("path") == "separate";
    status = CheckName("--path", text("path"), {"same", "separate"},
                       "same, separate");
  }
  if (status.ok() && given("workers")) {
    options.processes = text("workers") == "process";
    status = CheckName("--workers", text("workers"), {"thread", "process"},
                       "thread, process");
  }
  const auto count = [&](const char* name, int64_t least, int64_t most,
                         auto& to) {
    if (!status.ok() || !given(name)) return;
    const absl::StatusOr<int64_t> value =
        ReadCount(fmt::format("--{}", name), text(name), least, most);
    status = value.status();
    if (value.ok()) to = static_cast<std::decay_t<decltype(to)>>(*value);
  };
  count("depth", 0, 64, options.depth);
  count("tasks", 1, 4096, options.tasks);
  count("seconds", 1, 86400, options.seconds);
  if (!status.ok()) return status;
  if (options.tasks == 0) {
    options.tasks = static_cast<uint32_t>(atomics::AllowedCpus().size());
  }
  return options;
}

absl::StatusOr<PathwalkOptions> Parse(Words words) {
  const std::vector<std::string> copies(words.begin(), words.end());
  try {
    const po::options_description description = Description();
    po::variables_map map;
    po::store(po::command_line_parser(copies)
                  .options(description)
                  .positional(po::positional_options_description())
                  .style(po::command_line_style::allow_long |
                         po::command_line_style::long_allow_adjacent |
                         po::command_line_style::long_allow_next)
                  .run(),
              map);
    return FromMap(map);
  } catch (const po::error& error) {
    return absl::InvalidArgumentError(
        fmt::format("pathwalk: {}; hackbench pathwalk --help shows the options",
                    error.what()));
  }
}

// Files in a directory of their own, gone at the end.
class PathTree {
 public:
  ~PathTree() {
    std::error_code ignored;
    if (!root_.empty()) std::filesystem::remove_all(root_, ignored);
  }

  absl::Status Make(const PathwalkOptions& options) {
    const char* base = std::getenv("TMPDIR");
    std::string name = fmt::format("{}/hackbench-pathwalk-XXXXXX",
                                   base == nullptr ? "/tmp" : base);
    if (mkdtemp(name.data()) == nullptr) {
      return ErrnoStatus(errno, "mkdtemp " + name);
    }
    root_ = name;
    for (uint32_t i = 0; i < options.depth; ++i) {
      name += fmt::format("/d{}", i);
      if (mkdir(name.c_str(), 0700) != 0) {
        return ErrnoStatus(errno, "mkdir " + name);
      }
    }
    const uint32_t files = options.separate ? options.tasks : 1;
    for (uint32_t i = 0; i < files; ++i) {
      paths_.push_back(fmt::format("{}/f{}", name, i));
      const int file = open(paths_.back().c_str(), O_CREAT | O_WRONLY, 0600);
      if (file < 0) return ErrnoStatus(errno, "open " + paths_.back());
      close(file);
    }
    return absl::OkStatus();
  }

  const std::string& PathOf(uint32_t task) const {
    return paths_[task % paths_.size()];
  }

 private:
  std::string root_;
  std::vector<std::string> paths_;
};

bool Do(PathOp op, const char* path) {
  switch (op) {
    case PathOp::kStat: {
      struct stat block;
      return stat(path, &block) == 0;
    }
    case PathOp::kAccess:
      return access(path, R_OK) == 0;
    case PathOp::kOpen: {
      const int file = open(path, O_RDONLY);
      return file >= 0 && close(file) == 0;
    }
    case PathOp::kMixed:
      return Do(PathOp::kStat, path) && Do(PathOp::kAccess, path) &&
             Do(PathOp::kOpen, path);
  }
  return false;
}

void Walk(const PathwalkOptions& options, const std::string& path,
          WalkSlot& slot) {
  const int64_t start_ns = MonotonicNs();
  uint64_t loops = 0;
  int64_t elapsed_ns = 0;
  do {
    for (uint64_t i = 0; i < kLoopsPerLook; ++i) {
      if (!Do(options.op, path.c_str())) {
        slot.error = errno;
        return;
      }
    }
    loops += kLoopsPerLook;
    elapsed_ns = MonotonicNs() - start_ns;
  } while (elapsed_ns < options.seconds * kNsPerSecond);
  slot.loops = loops;
  slot.elapsed_ns = elapsed_ns;
}

absl::StatusOr<std::string> Run(const PathwalkOptions& options) {
  PathTree tree;
  const absl::Status made = tree.Make(options);
  if (!made.ok()) return made;
  absl::StatusOr<sync::Arena> arena =
      sync::Arena::Map({.tasks = options.tasks,
                        .lock_bytes = options.tasks * sizeof(WalkSlot) + 4096});
  if (!arena.ok()) return arena.status();
  auto* slots =
      static_cast<WalkSlot*>(arena->Allocate(options.tasks * sizeof(WalkSlot)));
  const absl::StatusOr<TasksResult> result = RunLockTasks(
      *arena, options.tasks, options.processes, /*deadline_ns=*/0,
      [&](uint32_t task) { Walk(options, tree.PathOf(task), slots[task]); });
  if (!result.ok()) return result.status();
  if (!result->run.completed) {
    return absl::InternalError(result->run.death.Describe());
  }
  uint64_t total = 0;
  uint64_t least = UINT64_MAX;
  uint64_t most = 0;
  double squares = 0;
  for (uint32_t task = 0; task < options.tasks; ++task) {
    const WalkSlot& slot = slots[task];
    if (slot.error != 0) {
      return ErrnoStatus(slot.error, tree.PathOf(task));
    }
    total += slot.loops;
    least = std::min(least, slot.loops);
    most = std::max(most, slot.loops);
    squares +=
        static_cast<double>(slot.loops) * static_cast<double>(slot.loops);
  }
  const auto sum = static_cast<double>(total);
  return fmt::format(
      "Total loops: {}\n{} {} for {} s: {:.0f} loops per second; per task min "
      "{}, max {}, Jain {:.4f}; CPU {:.2f} s\n",
      total, options.tasks, options.processes ? "processes" : "threads",
      options.seconds, sum / static_cast<double>(options.seconds), least, most,
      sum * sum / (options.tasks * squares), result->cpu_s);
}

int Fail(const absl::Status& status, int code) {
  LogError(std::string(status.message()));
  return code;
}

int Print(const std::string& text) {
  const absl::Status written = WriteStdout(text);
  return written.ok() ? 0 : Fail(written, kExitFailed);
}

}  // namespace

int PathwalkCommand(Words words) {
  const absl::StatusOr<PathwalkOptions> options = Parse(words);
  if (!options.ok()) return Fail(options.status(), kExitUsage);
  if (options->help) {
    std::ostringstream text;
    text << Description();
    return Print(text.str());
  }
  if (options->list) {
    return Print(
        "stat    stat()\naccess  access()\nopen    open() and close()\nmixed   "
        "all three\n");
  }
  const absl::StatusOr<std::string> text = Run(*options);
  if (!text.ok()) return Fail(text.status(), kExitFailed);
  return Print(*text);
}

}  // namespace hackbench
