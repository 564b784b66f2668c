#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A conduit is its folder and one line: in a copy of the tree, `toy` is the loopback under another
# name. Checks pass, and a program runs on it.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if ! grep -q '^UPWASH_SANITIZE:[A-Z]*=$' "$UPWASH_TEST_BUILD/CMakeCache.txt"; then
  echo "new_conduit: passed over, what a sanitizer built is not linked by hand"
  exit 77
fi

copy=$work/tree
mkdir "$copy"
(cd "$root" && tar -c --exclude=./build --exclude=./.git .) | tar -x -C "$copy"

# The folder.
mkdir "$copy/upwash/conduit/toy"
(cd "$root/upwash/conduit/loopback" && find . -type f) | while read -r file; do
  made=$copy/upwash/conduit/toy/${file//loopback/toy}
  mkdir -p "$(dirname "$made")"
  sed 's/loopback/toy/g' "$root/upwash/conduit/loopback/$file" >"$made"
done
# The line.
echo toy >>"$copy/cmake/conduits.txt"

"$copy/scripts/check-layers" --root "$copy" >"$work/log" || fail "$(cat "$work/log")"
# A folder that is named and is not there is an error, which says so.
evidence=("$work/log")
cmake -S "$copy" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DUPWASH_BUILD_TOOLS=OFF \
  -DUPWASH_BUILD_APPS=OFF -DUPWASH_BUILD_TESTS=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
  >"$work/log" 2>&1 || fail "it cannot be configured"
objects=()
for source in "$copy"/upwash/conduit/toy/*.cpp "$copy"/upwash/conduit/toy/detail/*.cpp; do
  [[ -e $source ]] && objects+=("CMakeFiles/upwash_objects.dir/${source#"$copy/"}.o")
done
objects+=(CMakeFiles/upwash_objects.dir/generated/conduit_list.cpp.o)
ninja -C "$work/build" "${objects[@]}" >"$work/log" 2>&1 || fail "it cannot be compiled"

# These and the library as it is: its own list is not taken, since this one is there.
g++ -std=c++20 "-I$copy" "$root/examples/02_all_gather/main.cpp" "${objects[@]/#/$work/build/}" \
  "$UPWASH_TEST_BUILD/lib/libupwash.a" -lfmt -lspdlog -lboost_context -lhwloc -lpthread \
  -o "$work/program" >"$work/log" 2>&1 || fail "it cannot be linked"
UPWASH_CONDUIT=toy UPWASH_RANKS=4 UPWASH_LOG=info "$work/program" >"$work/out" 2>"$work/log" ||
  fail "the program does not run on it"
diff "$root/examples/02_all_gather/expected.txt" "$work/out" || fail "the program prints otherwise"
grep "4 ranks on conduit toy" "$work/log" >/dev/null || fail "it ran on another conduit"
UPWASH_CONDUIT=toys "$work/program" >"$work/out" 2>"$work/log" && fail "toys were taken"
grep "one of shm|sim|loopback|[a-z+|]*toy" "$work/log" >/dev/null || fail "the choices lack toy"

sed -i 's/^toy$/toys/' "$copy/cmake/conduits.txt"
cmake -S "$copy" -B "$work/build" >"$work/log" 2>&1 && fail "a conduit without a folder was taken"
grep "there is no upwash/conduit/toys" "$work/log" >/dev/null || fail "nothing says what is missing"
echo "new_conduit: its folder and one line"
