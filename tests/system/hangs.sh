#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# One report for a job that hangs: what all its ranks are in, and why nobody goes on.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
source "$(dirname "${BASH_SOURCE[0]}")/lib/reports.sh"
bin=$UPWASH_TEST_BIN
out=$work/out
export UPWASH_CONFIG=
export UPWASH_HANG_REPORT=500ms
evidence=("$out")

# reports COMMAND -- PATTERN...: runs it until its report has come, and two seconds longer; there was
# one report, and each pattern fits one line of it.
reports() {
  split_at_dashes "$@"
  until_said 2 "ranks of the job:" -- "${command[@]}"
  [[ $(grep -c "ranks of the job:" "$out") == 1 ]] || fail "one report by ${command[*]}"
  each_once
}

run=("$upwash" run --timeout 120s)

reports "${run[@]}" -n 3 "$bin/hanging" missing -- \
  "^upwash: rank [0-2] has waited in (barrier|finish) for [0-9.]+ s; the 3 ranks of the job:" \
  "^  0, 1  waits in barrier at hanging.cpp:[0-9]+  -     -    the world  2 " \
  "^  2     waits in finish " \
  "^  conclusion: rank 2 never called barrier #2 of the world; it waits in finish$"

reports "${run[@]}" -n 3 "$bin/hanging" cycle -- \
  "^  0     waits in receive at hanging.cpp:[0-9]+  1     7 " "^  1     waits in receive at hanging.cpp:[0-9]+  2     7 " \
  "^  2     waits in receive at hanging.cpp:[0-9]+  0     7 " "^      pending at rank 0: 1 receives posted" \
  "^  conclusion: a cycle: rank 0 waits in receive for rank 1, which waits in receive for rank 2, which waits in receive for rank 0$"

reports "${run[@]}" -n 3 "$bin/hanging" computes -- \
  "^  0     computes without calling the library \(pid [0-9]+\)" \
  "^  1, 2  waits in all_reduce at hanging.cpp:[0-9]+  .* the world  0 " \
  "^  conclusion: rank 0 computes without calling the library \(pid [0-9]+\); ranks 1, 2 wait for it$"

reports "${run[@]}" -n 2 "$bin/hanging" pending -- "^  0     waits in wait_until at hanging.cpp:[0-9]+ " \
  "^      pending at rank 0: 1 receives posted"

reports "${run[@]}" -n 4 "$bin/hanging" kinds -- "^  0     waits in wait for a semaphore at hanging.cpp:[0-9]+ " \
  "^  1     waits in lock at hanging.cpp:[0-9]+ " "^  2     waits in quiescence at hanging.cpp:[0-9]+ " \
  "^  3     computes without calling the library "

reports "${run[@]}" -n 4 "$bin/hanging" sets -- "^  0     waits in wait_any at hanging.cpp:[0-9]+ " \
  "^  1     waits in wait_some at hanging.cpp:[0-9]+ " "^  2     waits in probe at hanging.cpp:[0-9]+ +3 +9 " \
  "^  3     computes without calling the library "

reports "${run[@]}" -n 5 "$bin/hanging" control -- "^  0     waits in all_reduce at hanging.cpp:[0-9]+ " \
  "^  1     waits in allocate at hanging.cpp:[0-9]+ " "^  2     waits in split at hanging.cpp:[0-9]+ " \
  "^  3     waits in send at hanging.cpp:[0-9]+ +4 +7 " "^  4     computes without calling the library "

reports "${run[@]}" -n 2 "$bin/hanging" credit -- "^  0     waits in push into the stream opened at hanging.cpp:[0-9]+ +1 " \
  "^  1     computes without calling the library "

reports "${run[@]}" -n 2 "$bin/hanging" messages -- "^  0     waits in send at hanging.cpp:[0-9]+ +1 " \
  "^  1     computes without calling the library "

reports "${run[@]}" -n 4 "$bin/hanging" stream -- "^  0-2   waits in quiescence at hanging.cpp:[0-9]+ +- +- +the world +2 " \
  "^  3     waits in receive at hanging.cpp:[0-9]+ +0 +7 " \
  "^  conclusion: rank 3 never called quiescence #2 of the world; it waits in receive at hanging.cpp:[0-9]+$"

reports "${run[@]}" -n 4 "$bin/hanging" free -- "^  0-2   waits in free at hanging.cpp:[0-9]+ " \
  "^  conclusion: rank 3 never called free #[0-9]+ of the world; it waits in receive at hanging.cpp:[0-9]+$"

# A loop over test() is a wait, too.
: >"$out"
"${run[@]}" -n 2 "$bin/hanging" polls >>"$out" 2>&1 &
pid=$!
until grep -q "^  0     waits in a loop over progress" "$out"; do
  kill -0 "$pid" || fail "polls ended"
  sleep 0.05
done
kill "$pid"
wait "$pid" || true

# Ranks that are fibers of a process answer each for itself.
reports "${run[@]}" -n 4 --ranks-per-process 2 "$bin/hanging" missing -- \
  "^  0-2   waits in barrier at hanging.cpp:[0-9]+ " "^  3     waits in finish " \
  "^  conclusion: rank 3 never called barrier #[0-9]+ of the world; it waits in finish$"

# While one of them keeps the process, it alone is to blame.
reports "${run[@]}" -n 4 --ranks-per-process 2 "$bin/hanging" computes -- \
  "^  0     computes without calling the library \(pid [0-9]+\)" "^  1     waits in the line for its process +0 " \
  "^  conclusion: rank 0 computes without calling the library \(pid [0-9]+\); ranks 1-3 wait for it$"

# A stopped rank is told from one that computes.
: >"$out"
"${run[@]}" -n 2 "$bin/hanging" slow 60 >>"$out" 2>&1 &
pid=$!
until [[ $(pgrep -c -P "$pid") == 2 ]]; do sleep 0.01; done
stopped=$(pgrep -P "$pid" | tail -n 1)
sleep 0.2
kill -STOP "$stopped"
until grep -q "^  conclusion: rank [01] is stopped; kill -CONT $stopped lets it go on" "$out"; do
  kill -0 "$pid" || fail "stopped: the job ended"
  sleep 0.05
done
kill "$pid"
wait "$pid" || true

# Late is not hanging for ever: it is told once, and the job ends well.
"${run[@]}" -n 2 "$bin/hanging" slow 5 >"$out" 2>&1 || fail "slow: status $?"
[[ $(grep -c "ranks of the job:" "$out") == 1 ]] || fail "slow: one report"
grep -q "^  1     sleeps outside the library (pid [0-9]*)" "$out" || fail "slow: rank 1 sleeps"
UPWASH_HANG_REPORT=0 "${run[@]}" -n 2 "$bin/hanging" slow 2 >"$out" 2>&1 || fail "off: status $?"
[[ ! -s $out ]] || fail "off: nothing is said"

# Under another launcher a process of the job gathers it.
for rank in 0 1; do
  UPWASH_RANK=$rank UPWASH_SIZE=2 UPWASH_JOB_ID=hangs-$$ "$bin/hanging" slow 5 2>>"$out" &
done
wait
[[ $(grep -c "^upwash: rank 0 has waited in barrier .*; the 2 ranks of the job:" "$out") == 1 ]] ||
  fail "no launcher: one report"

# Simulated, the deadlock itself is the report.
UPWASH_CONDUIT=sim UPWASH_RANKS=3 "$bin/hanging" cycle >"$out" 2>&1 && fail "sim: status 0"
grep -q "deadlock at .* us of virtual time" "$out" || fail "sim: deadlock"
grep -q "^  conclusion: a cycle: rank 0 waits in receive for rank 1" "$out" || fail "sim: cycle"
echo "hangs: ok"
