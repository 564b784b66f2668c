#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Installs into an empty prefix; C programs then find the library by pkg-config, shared and static,
# as C and as C++. The shared library has names of upwash_ alone. An attached program works without
# a launcher and with one.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../system/lib/checks.sh"
evidence=("$work/log")
prefix=$work/prefix
cmake --install "$UPWASH_TEST_BUILD" --prefix "$prefix" >"$work/log" 2>&1 || fail "no installation"
libraries=$(dirname "$(find "$prefix" -name libupwash_c.so)")
export PKG_CONFIG_PATH=$libraries/pkgconfig
nm -D --defined-only "$libraries/libupwash_c.so" | awk '$3 !~ /^upwash_/' >"$work/log"
[[ ! -s $work/log ]] || fail "the shared library has other names"
# Each function of the header is there.
grep -v '^typedef' "$prefix/include/upwash.h" | grep -oE '\bupwash_[a-z_]+\(' | tr -d '(' | sort -u >"$work/declared"
nm -D --defined-only "$libraries/libupwash_c.so" | awk '{ print $3 }' | sort -u >"$work/defined"
comm -3 "$work/declared" "$work/defined" >"$work/log"
[[ ! -s $work/log ]] || fail "header and library differ"

read -ra flags <<<"$(pkg-config --cflags --libs upwash-c)"
cc -std=c99 -I"$here" "$here/memory.c" "${flags[@]}" -o "$work/shared" >"$work/log" 2>&1 || fail "by pkg-config"
LD_LIBRARY_PATH=$libraries "$upwash" run -n 2 "$work/shared" >"$work/log" 2>&1 || fail "shared"
grep -qx "memory: 2 ranks" "$work/log" || fail "shared: its line"

sed -n '/^```c$/,/^```$/{/^```/d;p}' docs/c.md >"$work/documented.c"
cc -std=c99 -Wall -Werror "$work/documented.c" "${flags[@]}" -o "$work/documented" >"$work/log" 2>&1 ||
  fail "the program of docs/c.md"
LD_LIBRARY_PATH=$libraries "$upwash" run -n 4 "$work/documented" >"$work/log" 2>&1 || fail "documented"
grep -qx "4 ranks, sum 6" "$work/log" || fail "documented: its line"

cat >"$work/attached.cpp" <<'PROGRAM'
#include <upwash.h>
#include <cstdio>
int main() {
  upwash_job* job = nullptr;
  if (upwash_attach(&job) != UPWASH_OK) return 1;
  double one = 1, all = 0;
  upwash_request* under_way = nullptr;
  if (upwash_all_reduce(upwash_world(job), &one, &all, 1, UPWASH_DOUBLE, UPWASH_SUM, &under_way)) return 1;
  if (upwash_wait(&under_way)) return 1;
  if (upwash_rank(job) == 0) std::printf("attached: %d ranks, %g\n", upwash_size(job), all);
  return upwash_detach(&job) == UPWASH_OK && job == nullptr ? 0 : 1;
}
PROGRAM
c++ "$work/attached.cpp" "${flags[@]}" -o "$work/attached" >"$work/log" 2>&1 || fail "as C++"
export LD_LIBRARY_PATH=$libraries
"$work/attached" >"$work/log" 2>&1 || fail "attached alone"
grep -qx "attached: 1 ranks, 1" "$work/log" || fail "attached alone: its line"
"$upwash" run -n 3 "$work/attached" >"$work/log" 2>&1 || fail "attached"
grep -qx "attached: 3 ranks, 3" "$work/log" || fail "attached: its line"
status=0
UPWASH_CONDUIT=sim "$work/attached" >"$work/log" 2>&1 || status=$?
[[ $status == 1 && $(wc -l <"$work/log") == 1 ]] || fail "a simulated machine is refused in one line"
unset LD_LIBRARY_PATH

mkdir "$work/aside"
mv "$libraries"/libupwash_c.so* "$libraries"/libupwash.so* "$work/aside"
read -ra flags <<<"$(pkg-config --static --cflags --libs upwash-c)"
cc -std=c99 -I"$here" "$here/memory.c" "${flags[@]}" -lm -o "$work/static" >"$work/log" 2>&1 || fail "static"
"$upwash" run -n 2 "$work/static" >"$work/log" 2>&1 || fail "static does not run"
grep -qx "memory: 2 ranks" "$work/log" || fail "static: its line"
echo "installed: ok"
