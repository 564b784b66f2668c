#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Installs into an empty prefix; a program then finds the library by CMake and by pkg-config.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
prefix=$work/prefix

cmake --install "$UPWASH_TEST_BUILD" --prefix "$prefix" >"$work/log" || fail "$(cat "$work/log")"

# expect_works PROGRAM: it runs and its line arrives.
expect_works() {
  "$@" 2>&1 | shows works || fail "$* does not work"
}

sources=$here/consumer
cmake -S "$sources" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" 2>&1 &&
  cmake --build "$work/build" >>"$work/log" 2>&1 || fail "$(cat "$work/log")"
expect_works "$work/build/with_shared"
expect_works "$work/build/with_static"
expect_works "$work/build/with_c"
if [[ -x $work/build/with_armci ]]; then expect_works "$work/build/with_armci"; fi

libraries=$(dirname "$(find "$prefix" -name libupwash.so)")
export PKG_CONFIG_PATH=$libraries/pkgconfig
read -ra flags <<<"$(pkg-config --cflags --libs upwash)"
g++ -std=c++20 "$sources/main.cpp" "${flags[@]}" -o "$work/by_pkg_config"
expect_works env LD_LIBRARY_PATH="$libraries" "$work/by_pkg_config"

if ! nm -D "$libraries/libupwash.so" | shows -E '__(asan|tsan)_'; then
  "$prefix/bin/upwash" cxx "$sources/main.cpp" -o "$work/by_command" &&
    "$prefix/bin/upwash" cxx --privatize "$sources/main.cpp" -o "$work/private" ||
    fail "upwash cxx, installed"
  expect_works "$work/by_command"
  expect_works "$prefix/bin/upwash" run -n 2 --ranks-per-process 2 --privatize "$work/private"
fi

mv "$libraries/libupwash.so" "$work"
read -ra flags <<<"$(pkg-config --static --cflags --libs upwash)"
g++ -std=c++20 "$sources/main.cpp" "${flags[@]}" -o "$work/by_pkg_config_static"
expect_works "$work/by_pkg_config_static"
echo "install: CMake and pkg-config consumers work"
