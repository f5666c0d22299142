#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs the Debian packages that a set of make targets needs, only those
# that are missing. Usage: install_packages.sh SET...
set -euo pipefail

declare -A sets=(
  [build]="make cmake ninja-build g++ ccache libabsl-dev libboost-program-options-dev
           libspdlog-dev libfmt-dev nlohmann-json3-dev googletest libbenchmark-dev"
  [check]="clang clang-format clang-tidy shellcheck"
  [cross-arm64]="dpkg-dev g++-aarch64-linux-gnu qemu-user-static"
  [cross-riscv64]="dpkg-dev g++-riscv64-linux-gnu qemu-user-static"
  [peers]="rt-tests linux-perf"
)

wanted=()
for set in "$@"; do
  if [[ -z ${sets[$set]:-} ]]; then
    echo "install_packages.sh: unknown set '$set' (choices: ${!sets[*]})" >&2
    exit 2
  fi
  read -r -d '' -a packages <<<"${sets[$set]}" || true
  wanted+=("${packages[@]}")
done

if ! command -v dpkg-query >/dev/null; then
  echo "make: this is not Debian; install these yourself (or their like): ${wanted[*]}" >&2
  exit 0
fi

missing=()
for package in "${wanted[@]}"; do
  state=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
  [[ $state == "install ok installed" ]] || missing+=("$package")
done
[[ ${#missing[@]} -eq 0 ]] && exit 0

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  if ! command -v sudo >/dev/null || ! sudo -v; then
    echo "make: missing Debian packages, and neither root nor sudo is at hand; as root:" >&2
    echo "  apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "installing: ${missing[*]}" >&2
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
