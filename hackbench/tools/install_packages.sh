#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs the Debian packages that a set of make targets needs, only those that
# are missing. Usage: install_packages.sh SET...
set -euo pipefail

# A question mark: welcome, but its absence never stops a build.
declare -A sets=(
  [build]="make cmake ninja-build g++ ccache? libabsl-dev
           libboost-program-options-dev libspdlog-dev libfmt-dev
           nlohmann-json3-dev libsqlite3-dev zlib1g-dev googletest
           libbenchmark-dev"
  [check]="clang clang-format clang-tidy shellcheck spin gcc"
  [cross-arm64]="dpkg-dev tcl g++-aarch64-linux-gnu qemu-user-static"
  [cross-riscv64]="dpkg-dev tcl g++-riscv64-linux-gnu qemu-user-static"
  [peers]="rt-tests? linux-perf? libjemalloc2? libmimalloc2.0?
           libtcmalloc-minimal4?"
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
  echo "make: this is not Debian; install these yourself (or their like): ${wanted[*]//\?/}" >&2
  exit 0
fi

installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' \
  "${wanted[@]//\?/}" 2>/dev/null || true)
missing=()
optional=()
for package in "${wanted[@]}"; do
  grep -qFx "installed ${package%\?}" <<<"$installed" && continue
  case $package in
    *\?) optional+=("${package%\?}") ;;
    *) missing+=("$package") ;;
  esac
done
[[ ${#missing[@]} -eq 0 && ${#optional[@]} -eq 0 ]] && exit 0

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  # An optional package is not worth a question for a password.
  if command -v sudo >/dev/null &&
    { sudo -n true 2>/dev/null || { [[ ${#missing[@]} -gt 0 ]] && sudo -v; }; }; then
    as_root=(sudo)
  elif [[ ${#missing[@]} -eq 0 ]]; then
    exit 0
  else
    echo "make: missing Debian packages, and neither root nor sudo is at hand; as root:" >&2
    echo "  apt-get install ${missing[*]} ${optional[*]}" >&2
    exit 1
  fi
fi

apt_get() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq \
    -o DPkg::Lock::Timeout=300 "$@" >/dev/null
}

echo "installing: ${missing[*]} ${optional[*]}" >&2
# One broken third-party repository is no reason to stop: install decides.
apt_get update || true
for package in "${optional[@]}"; do
  apt_get install -y --no-install-recommends "$package" ||
    echo "make: going on without $package" >&2
done
if [[ ${#missing[@]} -gt 0 ]]; then
  apt_get install -y --no-install-recommends "${missing[@]}"
fi
