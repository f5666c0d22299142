#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Proves the include direction  atomics <- sync <- alloc <- hackbench -> results
# and that heavy headers stay in the few files meant for them. Prints a line per
# offence; silent when there is none. Usage: check_layers.sh [ROOT]
set -euo pipefail
cd "${1:-$(dirname "$0")/../..}"

folders=()
for folder in atomics sync alloc hackbench results; do
  [[ -d $folder ]] && folders+=("$folder")
done

# Lines FILE:LINE:#include <HEADER> become FILE LINE DELIMITER HEADER.
includes() {
  grep -rnHE --include='*.h' --include='*.cc' \
    '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<]' "${folders[@]}" |
    sed -E 's/^([^:]+):([0-9]+):[^"<]*(["<])([^">]+).*/\1 \2 \3 \4/'
}

includes | awk '
function convict(reason) {
  printf "%s:%s: %s: %s\n", file, line, header, reason
  guilty = 1
}
function heavy(prefix, home) {
  if (index(header, prefix) == 1 && file !~ home && file !~ /_test\.cc$/)
    convict("a heavy header; its place is " home)
}
BEGIN {
  may["atomics"] = "^atomics$"
  may["sync"] = "^(atomics|sync)$"
  may["alloc"] = "^(atomics|sync|alloc)$"
  may["hackbench"] = "^(atomics|sync|alloc|hackbench|results)$"
  may["results"] = "^results$"
}
{
  file = $1; line = $2; header = $4
  split(file, from, "/"); split(header, to, "/")
  if ($3 == "\"" && header !~ /\// || header ~ /(^|\/)\.\.?\//)
    convict("give the path from the repository root")
  if (to[1] in may && to[1] !~ may[from[1]])
    convict(from[1] " may not include " to[1])
  # What runs and measures stays free of what compares.
  if (from[1] == "hackbench" && to[1] == "results" &&
      header !~ /^results\/(record|summary)\.h$/ &&
      file !~ /^hackbench\/[a-z_]+_(command|options|session|words)\.(h|cc)$/ &&
      file !~ /_(test|benchmark)\.cc$/)
    convict("only commands, their options, sessions and words see more of results than record.h and summary.h")
  if (header ~ /^atomics\/arch\// && file !~ /^atomics\/arch(\.h$|\/)/)
    convict("include atomics/arch.h")
  heavy("boost/program_options", "^hackbench/(command_line|[a-z_]+_(command|options))\\.cc$")
  heavy("spdlog/", "(^|/)log\\.cc$")
  heavy("sqlite3", "^results/sqlite\\.cc$")
  heavy("nlohmann/", "^(results/[a-z_]+|hackbench/[a-z_]+_(command|report))\\.cc$")
}
END { exit guilty }'
