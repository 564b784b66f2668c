#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Members that call different collectives: checked runs end with an error that names both sides.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
program=$UPWASH_TEST_BIN/mismatched
out=$work/out
evidence=("$out")

# expect CASE PATTERN...: on both conduits
expect() {
  local case=$1
  shift
  for where in "--conduit shm" "--conduit sim"; do
    # shellcheck disable=SC2086  # two words
    UPWASH_CHECKED=1 timeout 30 "$upwash" run $where -n 5 "$program" "$case" >"$out" 2>&1 &&
      fail "$case on $where: no error"
    for pattern in "$@"; do
      grep -qE "$pattern" "$out" || fail "$case on $where: expected '$pattern'"
    done
    [[ $(grep -c '^upwash: ' "$out") == 1 ]] || fail "$case on $where: expected one line"
  done
}

expect collective 'number 1: member' 'member 0 \(rank 0\) calls broadcast .* of 16 bytes' \
  'member 4 \(rank 4\) calls barrier' 'mismatched.cpp:[0-9]+'
expect size 'of 16 bytes, root 0' 'of 12 bytes, root 0'
expect root 'member 4 \(rank 4\) calls broadcast .* root 1'
expect operator 'calls all_reduce .* reduction 0x[0-9a-f]+.*; member'

UPWASH_ADAPT=all expect waiting 'member 4 \(rank 4\) calls broadcast .*, nonblocking' ', blocking'

UPWASH_CHECKED=1 timeout 30 "$upwash" run -n 5 "$program" waiting >"$out" 2>&1 ||
  fail "blocking or not matters where nothing adapts"
UPWASH_CHECKED=1 timeout 30 "$upwash" run -n 5 "$program" none >"$out" 2>&1 ||
  fail "members that agree got an error"

# Neighbours tell each other no lengths where blocks go straight.
for where in shm sim loopback; do
  timeout 30 "$upwash" run --conduit $where -n 5 "$program" neighbors >"$out" 2>&1 &&
    fail "neighbors on $where: no error"
  grep -q 'rank 0: 8 bytes came from member 4 where 12 were expected' "$out" ||
    fail "neighbors on $where: no length is named"
done
