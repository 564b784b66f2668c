#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The stall report, by time and by signal.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
bin=$UPWASH_TEST_BIN
out=$work/out
export UPWASH_CONFIG=
evidence=("$out")

# By time: each waiting rank says what for, once.
status=0
UPWASH_HANG_REPORT=500ms "$upwash" run -n 3 --timeout 3s "$bin/stuck" >"$out" 2>&1 || status=$?
[[ $status == 124 ]] || fail "the time-out gave status $status"
[[ $(grep -c "rank 0 of 3 waits in wait_until" "$out") == 1 ]] || fail "rank 0 by time"
[[ $(grep -c "rank 1 of 3 waits in barrier" "$out") == 1 ]] || fail "rank 1 by time"

# A push that finds no room is one wait, in however many turns; with and without an order.
for how in "" ordered; do
  # shellcheck disable=SC2086  # or none
  UPWASH_HANG_REPORT=500ms "$upwash" run -n 2 --timeout 6s "$bin/stuck_stream" $how \
    >"$out" 2>&1 || true
  [[ $(grep -cE "rank 0 of 2 waits in (push|send) " "$out") == 1 ]] || fail "a stuck push: $how"
done

# By signal: the launcher passes it on, every rank answers.
"$upwash" run -n 3 --timeout 4s "$bin/stuck" >"$out" 2>&1 &
pid=$!
sleep 1.5
kill -USR1 "$pid"
wait "$pid" || true
grep -q "rank 0 of 3 waits in wait_until" "$out" || fail "rank 0 by signal"
grep -q "rank 1 of 3 waits in barrier (.*number 1)" "$out" || fail "rank 1 by signal"
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
"$upwash" run -n 3 --timeout 1s "$bin/stuck" >"$out" 2>&1 &
pid=$!
until pgrep -P "$pid" >/dev/null; do sleep 0.001; done
for _ in $(seq 50); do
  kill -USR1 "$pid" 2>/dev/null || true
  sleep 0.004
done
status=0
wait "$pid" || status=$?
[[ $status == 124 ]] || fail "a signal during the start: status $status"
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
grep -q "rank 0.*wait_until" "$out" || fail "sim: rank 0"
echo "reports: ok"
