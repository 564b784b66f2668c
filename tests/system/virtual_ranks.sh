#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Checked runs of ranks that share a process: variables that two of them change, and one that keeps
# the others waiting.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
program=$UPWASH_TEST_BIN/sharing
evidence=("$work")
export UPWASH_CONFIG= UPWASH_TURN_LIMIT=60s

# runs ARGUMENT... -- PROGRAM-ARGUMENT: 4 ranks in 2 processes; ends well, output in `out` and `err`
runs() {
  local status=0
  timeout 120 "$upwash" run -n 4 --ranks-per-process 2 --timeout 60s "$program" "$@" \
    >"$work/out" 2>"$work/err" || status=$?
  [[ $status == 0 ]] && grep -q '^done' "$work/out" || fail "'$*': status $status"
}

# silent WHAT: not a line
silent() {
  runs "$1"
  [[ ! -s $work/err ]] || fail "'$1': lines"
}

# names VARIABLE WHAT: each process has one line, of its two ranks
names() {
  local variable=$1 pair
  runs "$2"
  [[ $(wc -l <"$work/err") == 2 ]] || fail "'$2': not two lines"
  for pair in "0 and 1" "2 and 3"; do
    grep -q "ranks $pair share a process, and both changed the program's variable $variable: keep it" \
      "$work/err" || fail "'$2': ranks $pair"
  done
}

for what in clean global thread local busy; do silent "$what"; done  # unless checked
export UPWASH_CHECKED=1
silent clean
silent busy
names total global
names "(anonymous namespace)::of_thread" thread
names "(anonymous namespace)::counted()::number" local
# Simulated ranks, and those of a conduit without processes, share this one too.
for conduit in sim loopback; do
  timeout 60 "$upwash" run -n 3 --conduit "$conduit" "$program" global >"$work/out" 2>"$work/err" ||
    fail "$conduit: status $?"
  [[ $(grep -c "share a process, and both changed the program's variable total: keep it" "$work/err") == 1 ]] ||
    fail "$conduit: not one line"
  timeout 60 "$upwash" run -n 3 --conduit "$conduit" "$program" clean >"$work/out" 2>"$work/err"
  [[ ! -s $work/err ]] || fail "$conduit, clean: lines"
done
UPWASH_CHECKED=1 timeout 60 "$upwash" run -n 3 "$program" global >"$work/out" 2>"$work/err"
[[ ! -s $work/err ]] || fail "a process a rank: lines"

export UPWASH_TURN_LIMIT=20ms
for what in busy asleep; do
  runs "$what"
  grep -qE 'rank 1 kept 1 other rank of its process waiting for [0-9.]+ s \(turn_limit is 0.02 s\)' \
    "$work/err" || fail "'$what': no line"
done

# One that never comes back is named while it is away.
UPWASH_TURN_LIMIT=10ms timeout 120 "$upwash" run -n 4 --ranks-per-process 2 --timeout 60s "$program" \
  endless >/dev/null 2>"$work/err" &
job=$!
until grep -qE 'rank 1 has had its process for [0-9.]+ s, and keeps it' "$work/err"; do
  kill -0 "$job" || fail "'endless': no line"
  sleep 0.1
done
kill "$job"
wait "$job" || true

# Symbols are needed, and it is said.
strip -o "$work/stripped" "$program"
program=$work/stripped
UPWASH_TURN_LIMIT=60s UPWASH_LOG=info runs global
grep -q "the program's variables are not watched: it has none, or its symbols were stripped" \
  "$work/err" || fail "stripped"
echo "virtual_ranks: ok"
