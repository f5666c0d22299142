// SPDX-License-Identifier: MIT
#include "hackbench/run_parser.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <limits>
#include <optional>

#include "hackbench/command_line.h"
#include "hackbench/number.h"
#include "hackbench/suggest.h"

namespace hackbench {
namespace {

constexpr int64_t kMaxInt = std::numeric_limits<int32_t>::max();
constexpr int64_t kMaxUint = std::numeric_limits<uint32_t>::max();

struct NumberRule {
  OptionId id;
  int64_t RunOptions::*field;
  int64_t min;
  int64_t max;
};

constexpr std::array kNumberRules = {
    NumberRule{OptionId::kGroups, &RunOptions::groups, 1, kMaxInt},
    NumberRule{OptionId::kFds, &RunOptions::fds, 1, kMaxInt},
    NumberRule{OptionId::kLoops, &RunOptions::loops, 1, kMaxUint},
    NumberRule{OptionId::kDatasize, &RunOptions::datasize, 1, kMaxInt},
    NumberRule{OptionId::kRepeat, &RunOptions::repeat, 1, 1'000'000},
    NumberRule{OptionId::kWarmup, &RunOptions::warmup, 0, 1'000'000},
    NumberRule{OptionId::kTimeout, &RunOptions::timeout_s, 0, kMaxInt},
    NumberRule{OptionId::kHangAfter, &RunOptions::hang_after_s, 0, kMaxInt},
    NumberRule{OptionId::kChurn, &RunOptions::churn, 0, kMaxUint},
    NumberRule{OptionId::kHz, &RunOptions::hz, 0, 10'000},
    NumberRule{OptionId::kNice, &RunOptions::nice, -20, 19},
};

constexpr const NumberRule& RuleFor(OptionId id) {
  for (const NumberRule& rule : kNumberRules) {
    if (rule.id == id) return rule;
  }
  return kNumberRules[0];  // Not reached: callers ask for ids of the table.
}

std::string Spell(const OptionRow& row) {
  return row.letter == 0 ? fmt::format("--{}", row.name)
                         : fmt::format("--{}|-{}", row.name, row.letter);
}

class RunParser {
 public:
  explicit RunParser(Grammar grammar) { run_.options.grammar = grammar; }

  absl::StatusOr<ParsedRun> Parse(Spelling spelling,
                                  std::span<const std::string_view> words) {
    absl::StatusOr<std::vector<Argument>> arguments =
        ReadCommandLine(spelling, TakeClassicPipe(words));
    if (!arguments.ok()) return arguments.status();
    for (const Argument& argument : *arguments) {
      // In the order they were written: the last one counts, whether it is an
      // option or an operand.
      absl::Status status = argument.row == nullptr
                                ? ApplyOperand(argument.value)
                                : ApplyOption(*argument.row, argument.value);
      if (!status.ok()) return status;
    }
    absl::Status status = Reconcile();
    if (!status.ok()) return status;
    return std::move(run_);
  }

 private:
  RunOptions& options() { return run_.options; }

  bool is_perf() const { return run_.options.grammar == Grammar::kPerf; }

  template <typename... Args>
  void Doubt(fmt::format_string<Args...> format, Args&&... args) {
    run_.doubts.push_back(fmt::format(format, std::forward<Args>(args)...));
  }

  // `-pipe` is one word of the classic grammar; getopt would read -p -i -p -e.
  std::vector<std::string_view> TakeClassicPipe(
      std::span<const std::string_view> words) {
    std::vector<std::string_view> rest;
    for (const std::string_view word : words) {
      if (word != "-pipe" || is_perf()) {
        rest.push_back(word);
        continue;
      }
      if (!rest.empty()) {
        Doubt(
            "'-pipe' after other words is honoured (the classic program "
            "takes it first only)");
      }
      classic_pipe_ = true;
    }
    return rest;
  }

  absl::Status ApplyOption(const OptionRow& row, const std::string& value) {
    if (row.letter != 0 && row.letter != 'h') old_option_ = true;
    switch (row.id) {
      case OptionId::kPipe:
        return ChooseTransport(row, "pipe");
      case OptionId::kInet:
        return ChooseTransport(row, "tcp");
      case OptionId::kTransport:
        return ChooseTransport(row, value);
      case OptionId::kThreads:
        ChooseMode(Mode::kThread);
        break;
      case OptionId::kProcesses:
        ChooseMode(Mode::kProcess);
        break;
      case OptionId::kFifo:
        options().main_fifo = true;
        break;
      case OptionId::kNodelay:
        options().nodelay = true;
        break;
      case OptionId::kVerify:
        options().verify = true;
        break;
      case OptionId::kNoVerify:
        options().verify = false;
        break;
      case OptionId::kStats:
        options().stats = true;
        break;
      case OptionId::kPhases:
        options().phases = true;
        break;
      case OptionId::kPlane:
        return ChooseOne(row, value, {"kernel", "user"}, &options().plane);
      case OptionId::kAlloc:
        return NamePart(row, value, &options().alloc);
      case OptionId::kLock:
        return NamePart(row, value, &options().lock);
      case OptionId::kRwlock:
        return NamePart(row, value, &options().rwlock);
      case OptionId::kRefcount:
        return NamePart(row, value, &options().refcount);
      case OptionId::kMessageAlloc:
        return NamePart(row, value, &options().message_alloc);
      case OptionId::kPreempt:
        return NamePart(row, value, &options().preempt);
      case OptionId::kLatency:
        options().latency = true;
        break;
      case OptionId::kStrict:
        options().strict = true;
        break;
      case OptionId::kHelp:
        options().help = true;
        break;
      case OptionId::kVersion:
        options().version = true;
        break;
      case OptionId::kAffinity:
        options().affinity = value;
        break;
      case OptionId::kRecord:
        options().record = value;
        break;
      case OptionId::kList:
        options().list = value;
        break;
      case OptionId::kSched:
        return ChooseSched(row, value);
      case OptionId::kFormat:
        return ChooseOne(row, value, {"default", "simple"}, &format_);
      case OptionId::kTiming:
        return ChooseOne(row, value, {"total", "work"}, &timing_);
      case OptionId::kFootprint:
        return ChooseOne(row, value, {"peer", "lean"}, &options().footprint);
      case OptionId::kLogLevel:
        return ChooseOne(row, value,
                         {"off", "error", "warning", "info", "debug"},
                         &options().log_level);
      default:
        return ApplyNumber(row, value);
    }
    return absl::OkStatus();
  }

  absl::Status ApplyNumber(const OptionRow& row, std::string_view value) {
    const NumberRule& rule = RuleFor(row.id);
    absl::StatusOr<int64_t> number = ReadNumber(Spell(row), value, rule);
    if (!number.ok()) return number.status();
    options().*rule.field = *number;
    return absl::OkStatus();
  }

  absl::StatusOr<int64_t> ReadNumber(std::string_view name,
                                     std::string_view value,
                                     const NumberRule& rule) {
    const std::optional<ParsedNumber> number = ParseNumber(value);
    // perf refuses trailing text, the others read on past it.
    const bool junk = number && is_perf() && !number->rest.empty();
    if (!number || junk || number->overflow || number->value < rule.min ||
        number->value > rule.max) {
      return absl::InvalidArgumentError(
          fmt::format("{} '{}': expected a whole number from {} to {}", name,
                      value, rule.min, rule.max));
    }
    if (!number->rest.empty()) DoubtTrailing(name, value, *number);
    return number->value;
  }

  void DoubtTrailing(std::string_view name, std::string_view value,
                     const ParsedNumber& number) {
    if (number.rest.find(" -") != std::string_view::npos) {
      Doubt(
          "'{}' is one word, of which only {} {} was read; give each option "
          "a word of its own",
          value, name, number.value);
    } else {
      Doubt("{} '{}' was read as {}", name, value, number.value);
    }
  }

  // Which names there are is known to the plan.
  static absl::Status NamePart(const OptionRow& row, const std::string& value,
                               std::string* name) {
    *name = value;
    if (!value.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        fmt::format("{} needs a name", Spell(row)));
  }

  absl::Status ChooseTransport(const OptionRow& row, std::string_view name) {
    if (!transport_.empty() && transport_ != name) {
      return absl::InvalidArgumentError(
          fmt::format("{} cannot be used together with transport {}: a message "
                      "takes one way",
                      Spell(row), transport_));
    }
    transport_ = name;
    return absl::OkStatus();
  }

  void ChooseMode(Mode mode) {
    if (mode_ && *mode_ != mode) {
      Doubt(
          "both threads and processes were asked for; the last one counts "
          "(pipes are -p)");
    }
    mode_ = mode;
  }

  static absl::Status ChooseOne(const OptionRow& row, const std::string& value,
                                std::vector<std::string_view> choices,
                                std::string* chosen) {
    for (const std::string_view choice : choices) {
      if (value != choice) continue;
      *chosen = value;
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(
        fmt::format("{} '{}': choices are {}{}", Spell(row), value,
                    fmt::join(choices, ", "), DidYouMean(value, choices)));
  }

  absl::Status ChooseSched(const OptionRow& row, const std::string& value) {
    std::string name;
    const bool is_fifo = value.starts_with("fifo:");
    absl::Status status =
        ChooseOne(row, is_fifo ? "fifo:N" : value,
                  {"other", "batch", "idle", "fifo:N"}, &name);
    if (!status.ok()) return status;
    options().sched = name == "other"   ? SchedPolicy::kOther
                      : name == "batch" ? SchedPolicy::kBatch
                      : name == "idle"  ? SchedPolicy::kIdle
                                        : SchedPolicy::kFifo;
    if (!is_fifo) return status;
    constexpr NumberRule kPriority{OptionId::kSched, nullptr, 1, 99};
    absl::StatusOr<int64_t> priority =
        ReadNumber(Spell(row), std::string_view(value).substr(5), kPriority);
    if (!priority.ok()) return priority.status();
    options().sched_priority = static_cast<int>(*priority);
    return absl::OkStatus();
  }

  // Classic order is groups, mode, loops; the mode word is known by its name,
  // so `process 10 1000`, which people type too, means the same.
  absl::Status ApplyOperand(const std::string& operand) {
    has_operands_ = true;
    if (operand == "process" || operand == "thread") {
      if (numbers_ == 0) {
        Doubt("'{}' before the number of groups is honoured", operand);
      }
      ChooseMode(operand == "thread" ? Mode::kThread : Mode::kProcess);
      return absl::OkStatus();
    }
    if (numbers_ == 2) {
      Doubt("operand '{}' is ignored", operand);
      return absl::OkStatus();
    }
    const OptionId id = numbers_++ == 0 ? OptionId::kGroups : OptionId::kLoops;
    const NumberRule& rule = RuleFor(id);
    const std::string_view name = id == OptionId::kGroups ? "groups" : "loops";
    if (!ParseNumber(operand)) {
      constexpr std::array<std::string_view, 2> kModes = {"process", "thread"};
      return absl::InvalidArgumentError(fmt::format(
          "'{}' is neither a number of {} nor process or thread{}; hackbench "
          "[-pipe] [GROUPS [process|thread [LOOPS]]]",
          operand, name, DidYouMean(operand, kModes)));
    }
    absl::StatusOr<int64_t> number = ReadNumber(name, operand, rule);
    if (!number.ok()) return number.status();
    options().*rule.field = *number;
    return absl::OkStatus();
  }

  absl::Status Reconcile() {
    if (classic_pipe_) {
      if (!transport_.empty() && transport_ != "pipe") {
        return absl::InvalidArgumentError(fmt::format(
            "-pipe cannot be used together with transport {}", transport_));
      }
      transport_ = "pipe";
    }
    if (!transport_.empty()) options().transport = transport_;
    if (mode_) options().mode = *mode_;
    options().simple_format = format_ == "simple";
    options().timing_work = timing_ == "work";

    const bool classic = classic_pipe_ || has_operands_;
    if (classic && (old_option_ || is_perf())) {
      Doubt(
          "operands beside options are honoured (other hackbenches ignore "
          "them)");
    }
    if (options().grammar == Grammar::kRtTests && classic && !old_option_) {
      options().grammar = Grammar::kClassic;
    }
    if (options().strict && !run_.doubts.empty()) {
      return absl::InvalidArgumentError(
          fmt::format("{} (--strict)", fmt::join(run_.doubts, "; ")));
    }
    return absl::OkStatus();
  }

  ParsedRun run_;
  std::optional<Mode> mode_;
  std::string transport_;
  std::string format_;
  std::string timing_;
  int numbers_ = 0;  // Operands that were numbers.
  bool has_operands_ = false;
  bool classic_pipe_ = false;
  bool old_option_ = false;  // An option that rt-tests or perf knows.
};

}  // namespace

absl::StatusOr<ParsedRun> ParseRun(std::span<const std::string_view> words,
                                   Grammar grammar) {
  return RunParser(grammar).Parse(kRtTestsSpelling, words);
}

absl::StatusOr<ParsedRun> ParsePerfRun(
    std::span<const std::string_view> words) {
  return RunParser(Grammar::kPerf).Parse(kPerfSpelling, words);
}

std::string EffectiveCommandLine(const RunOptions& options) {
  std::string line = fmt::format(
      "-g {} -f {} -l {} -s {} {} --transport {}", options.groups, options.fds,
      options.loops, options.datasize,
      options.mode == Mode::kThread ? "-T" : "-P", options.transport);
  const auto add = [&line](std::string_view option, std::string_view value) {
    if (!value.empty()) line += fmt::format(" --{} {}", option, value);
  };
  add("plane", options.plane);
  add("alloc", options.alloc);
  add("lock", options.lock);
  add("rwlock", options.rwlock);
  add("refcount", options.refcount);
  add("msg-alloc", options.message_alloc);
  add("preempt", options.preempt);
  for (const auto& [option, number] :
       {std::pair{"churn", options.churn}, std::pair{"hz", options.hz}}) {
    if (number != kDefaultOfPart) add(option, fmt::format("{}", number));
  }
  return line;
}

bool RunOptions::names_part() const {
  return !alloc.empty() || !lock.empty() || !rwlock.empty() ||
         !refcount.empty() || !message_alloc.empty() || !preempt.empty() ||
         churn != kDefaultOfPart || hz != kDefaultOfPart;
}

int UsageExitCode(Grammar grammar) {
  switch (grammar) {
    case Grammar::kPerf:
      return 129;
    case Grammar::kCommand:
      return 2;
    default:
      return 1;
  }
}

std::string_view ModeName(Mode mode) {
  return mode == Mode::kThread ? "thread" : "process";
}

}  // namespace hackbench
