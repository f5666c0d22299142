// SPDX-License-Identifier: MIT
#include "hackbench/kmalloc_options.h"

#include <absl/status/status.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <optional>
#include <sstream>

#include "alloc/allocator_list.h"
#include "alloc/debug_engine.h"
#include "hackbench/kmalloc_peers.h"
#include "hackbench/number.h"
#include "hackbench/suggest.h"

namespace hackbench {
namespace {

namespace po = boost::program_options;
using Names = std::vector<std::string_view>;

constexpr size_t kMaxBytes = size_t{4} << 20;

po::options_description Description() {
  po::options_description description("hackbench kmalloc [OPTION]...");
  auto add = description.add_options();
  const auto text = [] { return po::value<std::string>(); };
  add("engine", text(),
      "engines by commas, or all; `base` is the one of --irq-model (all)");
  add("irq-model", text(), "of `base`: popf, flag or sigmask (popf)");
  add("peers", text(),
      "allocators to measure beside them: glibc, jemalloc, mimalloc, tcmalloc, "
      "paths of libraries, or all");
  add("test", text(), "tests by commas, or all (alloc-then-free,pair)");
  add("sizes", text(), "bytes: 8..16384 doubles, or a list by commas");
  add("form", text(), "inline, call or both (both)");
  add("touch", text(), "write to each new object: no, yes or both (both)");
  add("slub-debug", text(), "letters of FZPUTA for the engine debug (FZPU)");
  add("count", text(), "calls per loop (10000)");
  add("group", text(), "objects per bulk call (16)");
  add("rounds", text(), "interleaved rounds per figure (9)");
  add("arena-max", text(), "bytes an engine may use, with K, M or G (256M)");
  add("arena", text(), "shared, memfd or hugetlb (shared)");
  add("format", text(), "text, json or csv");
  add("list", "engines, tests and peers, with what each needs");
  add("help", "this text");
  return description;
}

std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) {
    parts.push_back(part);
  }
  if (parts.empty()) parts.emplace_back();
  return parts;
}

absl::Status Unknown(std::string_view option, std::string_view word,
                     const Names& choices) {
  return absl::InvalidArgumentError(
      fmt::format("unknown --{} '{}'{}; choices: hackbench kmalloc --list",
                  option, word, DidYouMean(word, choices)));
}

// One option of the line; its default where it is not given.
class Given {
 public:
  explicit Given(const po::variables_map& map) : map_(map) {}
  std::string Text(const char* name, const char* fallback) const {
    return map_.count(name) == 0 ? fallback : map_[name].as<std::string>();
  }
  bool Has(const char* name) const { return map_.count(name) != 0; }

 private:
  const po::variables_map& map_;
};

absl::StatusOr<int64_t> Whole(const char* name, const std::string& text,
                              int64_t low, int64_t high) {
  const auto number = ParseNumber(text);
  if (!number || number->overflow || !number->rest.empty() ||
      number->value < low || number->value > high) {
    return absl::InvalidArgumentError(fmt::format(
        "--{} '{}': give a whole number from {} to {}", name, text, low, high));
  }
  return number->value;
}

absl::StatusOr<int64_t> BytesWithUnit(const char* name,
                                      const std::string& text) {
  constexpr std::string_view kUnits = "KMG";
  const auto number = ParseNumber(text);
  if (number && !number->overflow && number->value > 0) {
    const size_t unit =
        number->rest.empty() ? 0 : kUnits.find(number->rest) + 1;
    const bool known = number->rest.empty() || number->rest.size() == 1;
    if (known && (number->rest.empty() || unit != 0) &&
        number->value <= int64_t{1} << (40 - 10 * unit)) {
      return number->value << (10 * unit);
    }
  }
  return absl::InvalidArgumentError(
      fmt::format("--{} '{}': give bytes, as 512M or 2G", name, text));
}

absl::Status ChooseEngines(const Given& given, KmallocOptions& options) {
  const std::string model = given.Text("irq-model", "popf");
  const std::string base = "base-" + model;
  if (alloc::FindAllocator(base) == nullptr) {
    return Unknown("irq-model", model, {"popf", "flag", "sigmask"});
  }
  Names names = {"all", "base"};
  for (const auto& entry : alloc::AllocatorList()) names.push_back(entry.name);

  const std::string asked = given.Text("engine", "all");
  if (asked == "all") {
    // Swept up, an engine that cannot run here is left out, and so are the
    // control, the debug engine and the base with system calls, which would
    // dwarf the rest.
    for (const auto& entry : alloc::AllocatorList()) {
      const bool control = !entry.traits.safe && entry.traits.usable;
      if (entry.why_not().empty() && !control && entry.traits.for_tables &&
          entry.traits.irq_model != "sigmask") {
        options.engines.emplace_back(entry.name);
      }
    }
    return absl::OkStatus();
  }
  for (const std::string& word : Split(asked)) {
    const std::string name = word == "base" ? base : word;
    const alloc::AllocatorEntry* const entry = alloc::FindAllocator(name);
    if (entry == nullptr) return Unknown("engine", word, names);
    // Asked for by name, it is an error.
    const std::string why_not = entry->why_not();
    if (!why_not.empty()) {
      return absl::InvalidArgumentError(
          fmt::format("--engine {} cannot run here: {}", name, why_not));
    }
    if (std::find(options.engines.begin(), options.engines.end(), name) ==
        options.engines.end()) {
      options.engines.push_back(name);
    }
  }
  return absl::OkStatus();
}

absl::Status ChoosePeers(const Given& given, KmallocOptions& options) {
  if (!given.Has("peers")) return absl::OkStatus();
  const std::string asked = given.Text("peers", "");
  if (asked == "all") {
    for (const KnownPeer& peer : kKnownPeers) {
      options.peers.emplace_back(peer.name);
    }
    return absl::OkStatus();
  }
  Names names = {"all"};
  for (const KnownPeer& peer : kKnownPeers) names.push_back(peer.name);
  for (const std::string& word : Split(asked)) {
    const bool known =
        std::find(names.begin(), names.end(), word) != names.end();
    if (!known && word.find('/') == std::string::npos) {
      return Unknown("peers", word, names);
    }
    options.peers.push_back(word);
  }
  return absl::OkStatus();
}

absl::Status ChooseTests(const Given& given, KmallocOptions& options) {
  const std::string asked = given.Text("test", "alloc-then-free,pair");
  Names names = {"all"};
  for (const auto& entry : kKmallocTests) names.push_back(entry.name);
  for (const std::string& word : Split(asked)) {
    if (word != "all" &&
        std::find(names.begin(), names.end(), word) == names.end()) {
      return Unknown("test", word, names);
    }
    for (const auto& entry : kKmallocTests) {
      if (word == "all" || word == entry.name) options.tests.push_back(entry);
    }
  }
  return absl::OkStatus();
}

absl::Status ChooseSizes(const Given& given, KmallocOptions& options) {
  const std::string asked = given.Text("sizes", "8..16384");
  const size_t dots = asked.find("..");
  if (dots != std::string::npos) {
    const auto low = Whole("sizes", asked.substr(0, dots), 1, kMaxBytes);
    const auto high = Whole("sizes", asked.substr(dots + 2), 1, kMaxBytes);
    if (!low.ok()) return low.status();
    if (!high.ok()) return high.status();
    if (*low > *high) {
      return absl::InvalidArgumentError(fmt::format(
          "--sizes '{}': the first is larger than the last", asked));
    }
    for (int64_t size = *low; size <= *high; size *= 2) {
      options.sizes.push_back(static_cast<size_t>(size));
    }
    return absl::OkStatus();
  }
  for (const std::string& word : Split(asked)) {
    const auto size = Whole("sizes", word, 1, kMaxBytes);
    if (!size.ok()) return size.status();
    options.sizes.push_back(static_cast<size_t>(*size));
  }
  return absl::OkStatus();
}

// A word, or both.
absl::Status ChooseBoth(const Given& given, const char* name,
                        std::string_view first, std::string_view second,
                        bool& has_first, bool& has_second) {
  const std::string word = given.Text(name, "both");
  has_first = word == first || word == "both";
  has_second = word == second || word == "both";
  if (has_first || has_second) return absl::OkStatus();
  return Unknown(name, word, {first, second, "both"});
}

absl::Status ChooseForms(const Given& given, KmallocOptions& options) {
  bool in_line = false;
  bool call = false;
  absl::Status status =
      ChooseBoth(given, "form", "inline", "call", in_line, call);
  if (!status.ok()) return status;
  if (in_line) options.forms.push_back(alloc::Form::kInline);
  if (call) options.forms.push_back(alloc::Form::kCall);
  bool untouched = false;
  bool touched = false;
  status = ChooseBoth(given, "touch", "no", "yes", untouched, touched);
  if (untouched) options.touch.push_back(false);
  if (touched) options.touch.push_back(true);
  return status;
}

absl::Status ChooseNumbers(const Given& given, KmallocOptions& options) {
  const auto count = Whole("count", given.Text("count", "10000"), 1, 1000000);
  if (!count.ok()) return count.status();
  const auto group = Whole("group", given.Text("group", "16"), 1, 10000);
  if (!group.ok()) return group.status();
  const auto rounds = Whole("rounds", given.Text("rounds", "9"), 3, 1000);
  if (!rounds.ok()) return rounds.status();
  const auto arena =
      BytesWithUnit("arena-max", given.Text("arena-max", "256M"));
  if (!arena.ok()) return arena.status();
  options.count = static_cast<uint32_t>(*count);
  options.group = static_cast<uint32_t>(*group);
  options.rounds = static_cast<int>(*rounds);
  options.arena.max_bytes = static_cast<size_t>(*arena);
  return absl::OkStatus();
}

absl::Status ChooseWords(const Given& given, KmallocOptions& options) {
  const std::string format = given.Text("format", "text");
  if (format == "text") {
    options.format = KmallocFormat::kText;
  } else if (format == "json") {
    options.format = KmallocFormat::kJson;
  } else if (format == "csv") {
    options.format = KmallocFormat::kCsv;
  } else {
    return Unknown("format", format, {"text", "json", "csv"});
  }
  const auto flags = alloc::ParseDebugFlags(given.Text("slub-debug", "FZPU"));
  if (!flags.ok()) return flags.status();
  options.debug_flags = *flags;
  const std::string arena = given.Text("arena", "shared");
  if (arena == "shared") {
    options.arena.backing = alloc::Backing::kAnonymous;
  } else if (arena == "memfd") {
    options.arena.backing = alloc::Backing::kMemfd;
  } else if (arena == "hugetlb") {
    options.arena.backing = alloc::Backing::kHugetlb;
  } else {
    return Unknown("arena", arena, {"shared", "memfd", "hugetlb"});
  }
  return absl::OkStatus();
}

absl::StatusOr<KmallocOptions> FromMap(const po::variables_map& map) {
  KmallocOptions options;
  const Given given(map);
  options.list = given.Has("list");
  options.help = given.Has("help");
  for (const auto choose :
       {ChooseEngines, ChoosePeers, ChooseTests, ChooseSizes, ChooseForms,
        ChooseNumbers, ChooseWords}) {
    const absl::Status status = choose(given, options);
    if (!status.ok()) return status;
  }
  return options;
}

}  // namespace

absl::StatusOr<KmallocOptions> ParseKmallocOptions(
    std::span<const std::string_view> words) {
  const std::vector<std::string> copies(words.begin(), words.end());
  try {
    const po::options_description description = Description();
    po::variables_map map;
    // An empty positional description: without it stray words are dropped.
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
        fmt::format("kmalloc: {}; hackbench kmalloc --help shows the options",
                    error.what()));
  }
}

std::string KmallocHelp() {
  std::ostringstream text;
  text << Description();
  return text.str();
}

std::string KmallocList() {
  std::string text = "engines:\n";
  for (const alloc::AllocatorEntry& entry : alloc::AllocatorList()) {
    const std::string why_not = entry.why_not();
    text += fmt::format("  {:<25}{}{}\n", entry.name, entry.summary,
                        why_not.empty() ? "" : "; not here: " + why_not);
  }
  const alloc::DefaultAllocator chosen = alloc::ChooseAllocator();
  text += fmt::format("  default here: {}{}\ntests:\n", chosen.entry->name,
                      chosen.reason.empty() ? "" : " (" + chosen.reason + ")");
  for (const auto& entry : kKmallocTests) {
    text += fmt::format("  {:<25}{}\n", entry.name, entry.summary);
  }
  text += "peers:\n";
  for (const KnownPeer& peer : kKnownPeers) {
    text += fmt::format(
        "  {:<25}{}\n", peer.name,
        peer.library.empty() ? "the C library's malloc" : peer.library);
  }
  return text;
}

}  // namespace hackbench
