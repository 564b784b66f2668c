#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# scripts/check-abi: a symbol that is gone, or takes other arguments, is noticed under the same SONAME; one more, or
# another SONAME, is no fault. The libraries of this build are compatible with themselves.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
evidence=("$work/out")
unset UPWASH_ABI_BASE
status=0
"$root/scripts/check-abi" >"$work/out" 2>&1 || status=$?
[[ $status == 77 ]] && shows 'SKIPPED' <"$work/out" || fail "without a base it compares nothing"
command -v abidiff >/dev/null || { echo "abi: skipped: no abidiff"; exit 77; }

# library FOLDER NUMBER SOURCE: a small libupwash_c.so.NUMBER with debug information.
library() {
  mkdir -p "$work/$1/lib"
  cc -g -shared -fPIC -Wl,-soname,libupwash_c.so."$2" -x c - -o "$work/$1/lib/libupwash_c.so" <<<"$3"
}
library before 0 'int upwash_one(int a) { return a; } int upwash_two(void) { return 2; } int other(void) { return 3; }'
library same 0 'int upwash_one(int a) { return a + 0; } int upwash_two(void) { return 2; } int upwash_more(void) { return 4; }'
library fewer 0 'int upwash_one(int a) { return a; } int other(void) { return 3; }'
library wider 0 'int upwash_one(long a) { return (int)a; } int upwash_two(void) { return 2; }'
library renamed 1 'int upwash_one(int a) { return a; }'
check() { "$root/scripts/check-abi" "$work/before" "$work/$1" >"$work/out" 2>&1; }

check same || fail "one more symbol, and one that is not upwash's less"
shows 'libupwash_c.so: as before, or more' <"$work/out" || fail "it does not say so"
! check fewer || fail "a symbol that is gone"
shows "upwash_two" <"$work/out" || fail "it does not name what is gone"
! shows "'int other" <"$work/out" || fail "it names what is not upwash's"
! check wider || fail "an argument of another type"
shows 'long int' <"$work/out" || fail "it does not say which"
check renamed || fail "another SONAME"
shows 'libupwash_c.so.1 was libupwash_c.so.0' <"$work/out" || fail "it does not say so"
mkdir "$work/empty"
! check empty || fail "a library that is gone"
status=0
"$root/scripts/check-abi" "$work/empty" "$work/same" >"$work/out" 2>&1 || status=$?
[[ $status == 2 ]] || fail "a base without libraries"

# What is recorded of the last release: this tree has all of it, and what would break its programs is noticed.
recorded() { "$root/scripts/check-abi" --recorded "$UPWASH_TEST_BUILD/lib" --header "$work/upwash.h" >"$work/out" 2>&1; }
header=$root/interop/c/include/upwash.h
cp "$header" "$work/upwash.h"
recorded || fail "upwash.h and libupwash_c have what they had in the last release"
for change in 's/^int upwash_fence_all(.*//' 's/\(int upwash_fence(.*\)int world_rank/\1long world_rank/' \
  's/  UPWASH_ADD,/  UPWASH_NEW, UPWASH_ADD,/' 's/^  size_t bytes;$/  size_t bytes, more;/'; do
  sed "$change" "$header" >"$work/upwash.h"
  ! cmp -s "$header" "$work/upwash.h" || fail "the change $change changes nothing"
  ! recorded || fail "$change breaks programs of the last release"
  shows 'would not run with it' <"$work/out" || fail "it does not say so"
done
if [[ -f $UPWASH_TEST_BUILD/lib/libupwash_c.so ]]; then
  sed 's/^int upwash_fence_all(.*/&\nint upwash_not_there(int a);/' "$header" >"$work/upwash.h"
  ! recorded || fail "a function that only the header has"
  shows 'does not have upwash_not_there' <"$work/out" || fail "it does not name it"
  "$root/scripts/check-abi" "$UPWASH_TEST_BUILD/lib" "$UPWASH_TEST_BUILD/lib" >"$work/out" 2>&1 || fail "this build with itself"
  (($(grep -c 'as before, or more' "$work/out") >= 2)) || fail "not all libraries are compared"
fi
echo "abi: ok"
