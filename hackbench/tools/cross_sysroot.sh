#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Fills build/sysroot with what a cross build compiles from source, one tree for
# every architecture: Abseil, Boost.Program_options, SQLite and zlib out of
# Debian's source packages (Debian 12 has no riscv64 port to take archives from)
# and links to the host's header-only libraries. A second call costs nothing.
set -euo pipefail
script=$(realpath "$0")
cd "$(dirname "$script")/../.."

sysroot=$PWD/build/sysroot
complete=$sysroot/complete
[[ $complete -nt $script ]] && exit 0

apt=$sysroot/apt
apt_options=(
  -o Dir::Etc::SourceList=/dev/null
  -o Dir::Etc::SourceParts="$apt/sources"
  -o Dir::State::Lists="$apt/lists"
  -o Dir::Cache="$apt/cache"
  -o APT::Sandbox::User=root
)

# The machine's own sources with every deb turned into deb-src, seen by a
# private apt: needs no root and leaves the system's configuration alone.
list_source_packages() {
  local file
  mkdir -p "$apt"/{sources,lists/partial,cache}
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [[ -f $file ]] || continue
    sed -nE '/cdrom:/d; s/^[[:space:]]*deb(-src)?[[:space:]]/deb-src /p' "$file"
  done | sort -u >"$apt/sources/one-line.list"
  for file in /etc/apt/sources.list.d/*.sources; do
    [[ -f $file ]] || continue
    sed 's/^Types:.*/Types: deb-src/I' "$file" >"$apt/sources/$(basename "$file")"
  done
  # A third party's repository without sources is no reason to stop.
  apt-get "${apt_options[@]}" update -qq || true
}

fetch() {
  mkdir "$sysroot/download"
  (cd "$sysroot/download" && apt-get "${apt_options[@]}" source -qq --download-only "$@")
}

# apt has verified the files; --no-check only skips the uploader's signature.
unpack_abseil() {
  dpkg-source -q --no-check --no-copy -x "$sysroot"/download/abseil_*.dsc "$sysroot/abseil"
}

unpack_program_options() {
  mkdir "$sysroot/boost"
  tar -xf "$sysroot"/download/boost1.74_*.orig.tar.* -C "$sysroot/boost" \
    --strip-components=1 --wildcards '*/libs/program_options/src'
}

# The one file that SQLite is compiled from is made by its own build, which needs
# tclsh and the host's compiler.
unpack_sqlite() {
  local tree=$sysroot/sqlite3
  dpkg-source -q --no-check --no-copy -x "$sysroot"/download/sqlite3_*.dsc "$tree.source"
  mkdir "$tree"
  (cd "$tree.source" && ./configure --quiet >/dev/null && make --silent sqlite3.c >/dev/null)
  cp "$tree.source"/sqlite3.[ch] "$tree"
  rm -rf "$tree.source"
}

unpack_zlib() {
  mkdir "$sysroot/zlib"
  tar -xf "$sysroot"/download/zlib_*.orig.tar.* -C "$sysroot/zlib" \
    --strip-components=1 --wildcards --no-wildcards-match-slash '*/*.[ch]'
}

# Never /usr/include itself: the host's libc headers would come with it.
link_headers() {
  local library
  mkdir "$sysroot/include"
  for library in boost fmt nlohmann spdlog; do
    ln -s "/usr/include/$library" "$sysroot/include/$library"
  done
}

echo "fetching the sources of abseil, boost1.74, sqlite3 and zlib into build/sysroot" >&2
rm -rf "$sysroot"
list_source_packages
if ! fetch abseil boost1.74 sqlite3 zlib; then
  echo "cross_sysroot.sh: no source packages; is a mirror with deb-src in /etc/apt?" >&2
  exit 1
fi
unpack_abseil
unpack_program_options
unpack_sqlite
unpack_zlib
link_headers
rm -rf "$sysroot/download" "$apt"
touch "$complete"
