#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The stall report, by time and by signal.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
source "$(dirname "${BASH_SOURCE[0]}")/lib/reports.sh"
bin=$UPWASH_TEST_BIN
out=$work/out
export UPWASH_CONFIG=
evidence=("$out")

# says COMMAND -- PATTERN...: runs it until its output has a line of each pattern, and a while longer;
# each must have come once. What never comes meets the time-out.
says() {
  split_at_dashes "$@"
  until_said 1 "${wanted[@]}" -- "${command[@]}"
  each_once
}

status=0
"$upwash" run -n 3 --timeout 1s "$bin/stuck" >"$out" 2>&1 || status=$?
[[ $status == 124 ]] || fail "the time-out gave status $status"

# By time: one report says what each rank waits for (hangs.sh has more).
export UPWASH_HANG_REPORT=500ms
says "$upwash" run -n 3 --timeout 120s "$bin/stuck" -- \
  "^  0     waits in wait_until at stuck.cpp:[0-9]+ " "^  1     waits in barrier" "^  2     computes"

# A push that finds no room is one wait, in however many turns; with and without an order.
says "$upwash" run -n 2 --timeout 120s "$bin/stuck_stream" -- "^  0     waits in push into the stream opened at stuck_stream.cpp:[0-9]+  *1 "
says "$upwash" run -n 2 --timeout 120s "$bin/stuck_stream" ordered -- "^  0     waits in push into the stream opened at stuck_stream.cpp:[0-9]+  *1 "

# Alone, a rank says it itself.
says env UPWASH_CONDUIT=shm "$bin/hanging" pending -- \
  "^upwash: rank 0 of 1 waits in wait_until for [0-9.]+ s"
unset UPWASH_HANG_REPORT

# By signal: the launcher passes it on, every rank answers.
"$upwash" run -n 3 --timeout 4s "$bin/stuck" >"$out" 2>&1 &
pid=$!
sleep 1.5
kill -USR1 "$pid"
wait "$pid" || true
grep -q "rank 0 of 3 waits in wait_until at stuck.cpp:[0-9]* (" "$out" || fail "rank 0 by signal"
grep -q "rank 1 of 3 waits in barrier at stuck.cpp:[0-9]* (.*number 1)" "$out" || fail "rank 1 by signal"
grep -q "rank 2 of 3 computes" "$out" || fail "rank 2 by signal"

# A stopped rank holds up the others: the launcher says so.
"$upwash" run -n 3 --timeout 60s "$bin/stuck" >"$out" 2>&1 &
pid=$!
until [[ $(pgrep -c -P "$pid") == 3 ]]; do sleep 0.01; done
stopped=$(pgrep -P "$pid" | tail -n 1)
kill -STOP "$stopped"
until grep -q "^upwash: rank [0-2] (pid $stopped) is stopped by signal 19" "$out"; do sleep 0.05; done
kill -CONT "$stopped"
until grep -q "^upwash: rank [0-2] (pid $stopped) goes on" "$out"; do sleep 0.05; done
kill "$pid"
wait "$pid" || true

# A signal at any moment of the start harms nobody.
"$upwash" run -n 3 --timeout 120s "$bin/stuck" >"$out" 2>&1 &
pid=$!
until pgrep -P "$pid" >/dev/null; do sleep 0.001; done
for _ in $(seq 50); do
  kill -USR1 "$pid" 2>/dev/null || true
  sleep 0.004
done
kill "$pid"
status=0
wait "$pid" || status=$?
[[ $status == 143 ]] || fail "a signal during the start: status $status"
UPWASH_RANK=0 UPWASH_SIZE=2 UPWASH_JOB_ID=reports-$$ UPWASH_START_TIMEOUT=1s "$bin/stuck" \
  >"$out" 2>&1 &
pid=$!
sleep 0.3
kill -USR1 "$pid"
status=0
wait "$pid" || status=$?
[[ $status == 1 ]] || fail "a signal while a rank waits for the others: status $status"

status=0
UPWASH_CONDUIT=sim UPWASH_RANKS=2 "$bin/stuck" >"$out" 2>&1 & pid=$!
sleep 1; kill -9 "$pid" 2>/dev/null || true; wait "$pid" 2>/dev/null || status=$?
[[ $status == 1 ]] || fail "sim: status $status"
grep -q "deadlock" "$out" || fail "sim: no deadlock named"
grep -q "^  0 .*wait_until" "$out" || fail "sim: rank 0"
echo "reports: ok"
