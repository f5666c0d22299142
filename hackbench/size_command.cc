// SPDX-License-Identifier: MIT
// `hackbench size`: what a thousand places that lock weigh, per lock and
// preemption model, in the layout of the published table of 2019, from objects
// that were built along with this program.
#include <absl/status/status.h>
#include <fmt/format.h>

#include <array>
#include <boost/program_options.hpp>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "hackbench/command_list.h"
#include "hackbench/lock_words.h"
#include "hackbench/log.h"
#include "hackbench/stdio.h"

namespace hackbench {
namespace {

namespace po = boost::program_options;

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

struct SizeCell {
  std::string_view arch;
  std::string_view preempt;
  std::string_view lock;
  int64_t text;
  int64_t data;
  int64_t bss;
};

constexpr SizeCell kCells[] = {
#include HACKBENCH_SIZE_CELLS
};

std::vector<std::string_view> Archs() {
  std::vector<std::string_view> archs;
  for (const SizeCell& cell : kCells) {
    if (archs.empty() || archs.back() != cell.arch) archs.push_back(cell.arch);
  }
  return archs;
}

int64_t TextOf(std::string_view arch, std::string_view preempt,
               std::string_view lock) {
  for (const SizeCell& cell : kCells) {
    if (cell.arch == arch && cell.preempt == preempt && cell.lock == lock) {
      return cell.text;
    }
  }
  return 0;
}

// One thing that the published table says of itself, and whether ours agrees.
std::string Sign(std::string_view claim, int64_t left, int64_t right,
                 bool agrees) {
  return fmt::format("# {}: {} {} {} bytes\n", agrees ? "agrees" : "DIFFERS",
                     claim, left, right);
}

std::string SignsOf(std::string_view arch) {
  std::string text;
  for (const std::string_view preempt : {"none", "voluntary", "full"}) {
    const int64_t ticket = TextOf(arch, preempt, "ticket");
    const int64_t queued = TextOf(arch, preempt, "queued");
    const int64_t inlined = TextOf(arch, preempt, "queued-inline");
    if (preempt == "full") {
      const double off = std::abs(static_cast<double>(queued - ticket)) /
                         static_cast<double>(ticket);
      text += Sign("full: queued within 1 % of ticket:", queued, ticket,
                   off <= 0.01);
    } else {
      text += Sign(fmt::format("{}: queued below ticket:", preempt), queued,
                   ticket, queued < ticket);
    }
    text += Sign(fmt::format("{}: queued-inline above queued:", preempt),
                 inlined, queued, inlined > queued);
  }
  const int64_t none =
      TextOf(arch, "none", "queued-inline") - TextOf(arch, "none", "queued");
  const int64_t full =
      TextOf(arch, "full", "queued-inline") - TextOf(arch, "full", "queued");
  text += Sign("inlining costs more in full than in none:", full, none,
               full > none);
  return text;
}

// hz is not ours to vary: no tick is compiled into a lock.
std::string TableOf(std::string_view arch) {
  std::string text = fmt::format(
      "# {}, 1000 call sites, bytes\nhz\tpreempt\tlock\ttext\tdata\tbss\tdec\n",
      arch);
  for (const SizeCell& cell : kCells) {
    if (cell.arch != arch) continue;
    text += fmt::format("-\t{}\t{}\t{}\t{}\t{}\t{}\n", cell.preempt, cell.lock,
                        cell.text, cell.data, cell.bss,
                        cell.text + cell.data + cell.bss);
  }
  return text + SignsOf(arch);
}

po::options_description Description() {
  po::options_description description("hackbench size [OPTION]...");
  auto add = description.add_options();
  add("arch", po::value<std::string>(), "only this architecture (all built)");
  add("list", "the architectures that were built");
  add("help", "this text");
  return description;
}

int Fail(const absl::Status& status, int code) {
  LogError(std::string(status.message()));
  return code;
}

int Print(const std::string& text) {
  const absl::Status written = WriteStdout(text);
  return written.ok() ? 0 : Fail(written, kExitFailed);
}

int Answer(const po::variables_map& map) {
  if (map.count("help") != 0) {
    std::ostringstream text;
    text << Description();
    return Print(text.str());
  }
  std::string text;
  if (map.count("list") != 0) {
    for (const std::string_view arch : Archs()) text.append(arch).append("\n");
    return Print(text);
  }
  std::vector<std::string_view> archs = Archs();
  std::string only;
  if (map.count("arch") != 0) {
    only = map["arch"].as<std::string>();
    const absl::Status status =
        CheckName("--arch", only, archs, "hackbench size --list");
    if (!status.ok()) return Fail(status, kExitUsage);
    archs = {only};
  }
  for (const std::string_view arch : archs) text += TableOf(arch);
  return Print(text);
}

}  // namespace

int SizeCommand(Words words) {
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
    return Answer(map);
  } catch (const po::error& error) {
    return Fail(
        absl::InvalidArgumentError(fmt::format(
            "size: {}; hackbench size --help shows the options", error.what())),
        kExitUsage);
  }
}

}  // namespace hackbench
