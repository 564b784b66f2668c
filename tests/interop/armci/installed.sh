#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Installs into an empty prefix; C programs then find the library by pkg-config, shared and static.
# A simulated machine, which has no process a rank, is refused in one line.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../system/lib/checks.sh"
evidence=("$work/log")
prefix=$work/prefix
cmake --install "$UPWASH_TEST_BUILD" --prefix "$prefix" >"$work/log" 2>&1 || fail "no installation"
libraries=$(dirname "$(find "$prefix" -name libarmci.so)")
export PKG_CONFIG_PATH=$libraries/pkgconfig

read -ra flags <<<"$(pkg-config --cflags --libs upwash-armci)"
cc "$here/memory.c" "${flags[@]}" -o "$work/shared" >"$work/log" 2>&1 || fail "by pkg-config"
LD_LIBRARY_PATH=$libraries "$upwash" run -n 2 "$work/shared" >"$work/log" 2>&1 || fail "shared"
grep -qx "memory: 2 ranks" "$work/log" || fail "shared: its line"

status=0
LD_LIBRARY_PATH=$libraries UPWASH_CONDUIT=sim "$work/shared" >"$work/log" 2>&1 || status=$?
[[ $status == 2 ]] || fail "a simulated machine: status $status"
[[ $(cat "$work/log") == "upwash: ARMCI_Init: attach: one rank a process on a real conduit is wanted; set UPWASH_CONDUIT=shm and UPWASH_RANKS_PER_PROCESS=1, or start the program through upwash::run, or by upwash run --privatize" ]] ||
  fail "a simulated machine: another line"

mkdir "$work/aside"
mv "$libraries"/libarmci.so* "$libraries"/libupwash.so* "$work/aside"
read -ra flags <<<"$(pkg-config --static --cflags --libs upwash-armci)"
cc "$here/memory.c" "${flags[@]}" -lm -o "$work/static" >"$work/log" 2>&1 || fail "static"
"$upwash" run -n 2 "$work/static" >"$work/log" 2>&1 || fail "static does not run"
grep -qx "memory: 2 ranks" "$work/log" || fail "static: its line"
echo "installed: ok"
