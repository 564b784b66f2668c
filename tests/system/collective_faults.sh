#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# What ends a job in the middle of collectives: a rank that dies, a time-out, a bad choice of
# algorithms. One line says why, soon, with the right status.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
program=$UPWASH_TEST_BIN/endless
evidence=("$work/err")

one_line() {
  [[ $(grep -c '^upwash: ' "$work/err") == 1 ]] || fail "$1: expected one line"
  grep -qE "$2" "$work/err" || fail "$1: expected '$2'"
}

for victim in 1 2 3 4; do
  : >"$work/out"
  "$upwash" run -n 4 "$program" >"$work/out" 2>"$work/err" &
  launcher=$!
  for _ in $(seq 500); do
    [[ $(grep -c talking "$work/out") == 4 ]] && break
    sleep 0.02
  done
  [[ $(grep -c talking "$work/out") == 4 ]] || fail "4 ranks did not start"
  since=$(date +%s%N)
  kill -9 "$(pgrep -P "$launcher" | sed -n "${victim}p")"
  status=0
  wait "$launcher" || status=$?
  took=$((($(date +%s%N) - since) / 1000000))
  [[ $status == 137 ]] || fail "status $status of a killed rank, expected 137"
  ((took <= 1000)) || fail "the job took $took ms to end"
  one_line "a killed rank" 'killed by signal 9'
done

timeout 30 "$upwash" run -n 3 --timeout 1s "$program" >"$work/out" 2>"$work/err"
[[ $? == 124 ]] || fail "a time-out: expected status 124"
one_line "a time-out" 'time-out of 1 s'

# refuse TEXT PATTERN: forced algorithms that cannot be
refuse() {
  UPWASH_ALGORITHMS=$1 timeout 30 "$upwash" run -n 3 "$program" >"$work/out" 2>"$work/err"
  [[ $? == 2 ]] || fail "$1: expected status 2"
  one_line "$1" "$2"
}
refuse 'all_reduce=rnig' 'did you mean ring\?'
refuse 'barier=central' 'did you mean barrier\?'
refuse 'broadcast=knomial:k=1' 'k'
refuse 'broadcast' 'is not COLLECTIVE=NAME'

# One that exists and cannot serve makes way, and rank 0 says so: once for all teams and calls.
case_now="levels in a job on one node"
UPWASH_ALGORITHMS='all_reduce=hierarchical' timeout 30 "$upwash" run -n 3 "$UPWASH_TEST_BIN/hosted" 1 1 1 >"$work/out" 2>"$work/err" ||
  fail "$case_now: status $?"
[[ $(grep -c 'all_reduce of 3 ranks goes by [a-z_]*: hierarchical (by the knob algorithms or all_reduce) cannot: .* needs several nodes' "$work/err") == 1 ]] ||
  fail "$case_now: expected one line that says why"
