#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Frames of algorithms are small when clang makes them, too: it lays out coroutines by rules of its
# own. The algorithms and their test by clang, the rest of the library as it is built.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if ! grep -q '^UPWASH_SANITIZE:[A-Z]*=$' "$UPWASH_TEST_BUILD/CMakeCache.txt"; then
  echo "clang_frames: passed over, frames grow under sanitizers"
  exit 77
fi
clang=$(command -v clang++-14 || command -v clang++) || {
  echo "clang_frames: passed over, there is no clang++"
  exit 77
}
cache=$(command -v ccache) || cache=
evidence=("$work/log")

sources=("$root"/upwash/collective/algorithms/*.cpp "$root"/upwash/collective/algorithms/detail/*.cpp
  "$root"/tests/collective/frames_test.cpp)
for source in "${sources[@]}"; do
  [[ -e $source ]] || continue
  name=${source#"$root/"}
  printf '%s\0%s\0' "$source" "$work/${name//\//_}.o"
done | CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1 xargs -0 -n 2 -P "$(nproc)" sh -c \
  "$cache $clang -std=c++20 -O3 -DNDEBUG -DFMT_SHARED -fno-semantic-interposition -fPIC -I$root -c \"\$0\" -o \"\$1\"" \
  >"$work/log" 2>&1 || fail "$clang does not compile the algorithms"
"$clang" "$work"/*.o "$UPWASH_TEST_BUILD/lib/libupwash.a" -lgtest -lgtest_main -lfmt -lspdlog \
  -lboost_context -lhwloc -lpthread -o "$work/frames" >"$work/log" 2>&1 || fail "it cannot be linked"
"$work/frames" --gtest_filter='frames.*' --gtest_output="xml:$work/seen" >"$work/log" 2>&1 ||
  fail "a frame is too large"
grep '\[  PASSED  \] 1 test' "$work/log" >/dev/null || fail "the test did not run"
largest=$(grep -o '[a-z_]* [a-z_0-9]*" value="[0-9]*"' "$work/seen" | sort -t'"' -k3 -n | tail -n 1)
echo "clang_frames: $("$clang" --version | head -n 1): largest ${largest//\"/}"
