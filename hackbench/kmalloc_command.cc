// SPDX-License-Identifier: MIT
#include "hackbench/kmalloc_command.h"

#include <string>

#include "hackbench/command_list.h"
#include "hackbench/kmalloc_options.h"
#include "hackbench/kmalloc_report.h"
#include "hackbench/kmalloc_run.h"
#include "hackbench/log.h"
#include "hackbench/stdio.h"

namespace hackbench {
namespace {

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

int Fail(const absl::Status& status, int code) {
  LogError(std::string(status.message()));
  return code;
}

}  // namespace

int RunKmallocCommand(std::span<const std::string_view> words,
                      LoadPeers load_peers) {
  const absl::StatusOr<KmallocOptions> options = ParseKmallocOptions(words);
  if (!options.ok()) return Fail(options.status(), kExitUsage);
  std::string answer;
  if (options->help) {
    answer = KmallocHelp();
  } else if (options->list) {
    answer = KmallocList();
  } else {
    std::vector<LoadedPeer> peers;
    if (!options->peers.empty()) {
      if (load_peers == nullptr)
        return Fail(ExecPeersHelper(words), kExitUsage);
      auto loaded = load_peers(options->peers);
      if (!loaded.ok()) return Fail(loaded.status(), kExitUsage);
      peers = *std::move(loaded);
    }
    const absl::StatusOr<KmallocTable> table = MeasureKmalloc(*options, peers);
    if (!table.ok()) return Fail(table.status(), kExitFailed);
    answer = FormatKmallocTable(*table);
  }
  const absl::Status written = WriteStdout(answer);
  return written.ok() ? 0 : Fail(written, kExitFailed);
}

int KmallocCommand(Words words) { return RunKmallocCommand(words, nullptr); }

}  // namespace hackbench
