#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Any number of ranks in a process: whole and uneven numbers, one process a core, one with all.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
bin=$UPWASH_TEST_BIN
export UPWASH_CONFIG=
out=$work/out
evidence=("$out")

# hosts N K COUNT...: N ranks, at most K a process, are so many in each process.
hosts() {
  local ranks=$1 each=$2
  shift 2
  timeout 100 "$upwash" run -n "$ranks" --ranks-per-process "$each" "$bin/hosted" "$@" \
    >"$out" 2>&1 || fail "-n $ranks --ranks-per-process $each: status $?"
  [[ $(<"$out") == "hosted: $ranks ranks" ]] || fail "-n $ranks --ranks-per-process $each"
}
hosts 7 3 3 2 2
hosts 4 3 2 2
hosts 5 2 2 2 1
hosts 6 1 1 1 1 1 1 1
hosts 9 100 9
hosts 9 99999999999999999999 9
hosts 1 auto 1
hosts 5 auto
hosts 64 30 22 21 21
# However few cores there are, auto is not a rank more than one process a core.
first=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
taskset -c "$first" "$upwash" run -n 3 --ranks-per-process auto "$bin/hosted" 3 >"$out" 2>&1 ||
  fail "auto on one core: status $?"
timeout 100 "$upwash" run -n 7 --conduit sim --ranks-per-process 3 "$bin/hosted" 3 2 2 >"$out" 2>&1 ||
  fail "sim: status $?"

expected='expected a number of ranks from 1, or auto'
for each in 0 -2 3x "" two 1.5; do
  refused "--ranks-per-process $each: $expected" \
    "$upwash" run -n 4 --ranks-per-process "$each" true
  refused "--ranks-per-process $each: $expected" \
    "$upwash" bench barrier --ranks-per-process "$each"
done
refused "--ranks-per-process auto: sim has all ranks in one process, whatever cores this machine has; give a number" \
  "$upwash" run -n 4 --conduit sim --ranks-per-process auto true
refused "tune: machine is measured between processes: run it without --ranks-per-process 2" \
  "$upwash" tune machine --ranks-per-process 2

# One line says what it would give, to whoever has not asked for it and wants to know.
says="upwash run: 300 ranks are 300 processes on [0-9]* cores\?, .*--ranks-per-process auto makes them"
UPWASH_LOG=info "$upwash" run -n 300 true >"$out" 2>&1
[[ $(grep -c "^$says" "$out") == 1 ]] || fail "no advice for 300 ranks"
"$upwash" run -n 300 --knob log=info true 2>&1 | shows "^$says" || fail "no advice by the knob"
"$upwash" run -n 300 true >"$out" 2>&1
shows "$says" <"$out" && fail "unwanted advice"
UPWASH_LOG=info "$upwash" run -n 300 --ranks-per-process 300 true >"$out" 2>&1
shows "$says" <"$out" && fail "advice to whoever follows it"

# Whatever ends a job names a rank of the process.
status=0
timeout 60 "$upwash" run -n 5 --ranks-per-process 3 "$bin/hosted" kill >"$out" 2>&1 || status=$?
[[ $status == 137 ]] || fail "a killed process: status $status"
grep -qE '^upwash: ranks 3 and 4 \(pid [0-9]+\) were killed by signal 9 \(Killed\); job ended$' "$out" ||
  fail "a killed process: another line"
status=0
timeout 60 "$upwash" run -n 5 --ranks-per-process 3 "$bin/throwing" body >"$out" 2>&1 || status=$?
[[ $status == 1 && $(<"$out") == "upwash: rank 4: the program threw: out of luck; job ended" ]] ||
  fail "a rank that throws: status $status"

# The stack is as large as a process's own, unless a knob says less; then the rank is named.
"$upwash" run -n 5 --ranks-per-process 3 "$bin/overflowing" >"$out" 2>&1 || fail "stacks: status $?"
status=0
"$upwash" run -n 5 --ranks-per-process 3 --knob stack_bytes=256k "$bin/overflowing" >"$out" 2>&1 ||
  status=$?
[[ $status == 139 ]] || fail "an overflow: status $status"
grep -q '^upwash: rank 4 needs more stack than the 256 KiB it has; .*UPWASH_STACK_BYTES' "$out" ||
  fail "an overflow: another line"

# Without upwash run each process has as many as the variable says.
pids=()
for rank in 0 1 2; do
  UPWASH_RANK=$rank UPWASH_SIZE=3 UPWASH_JOB_ID="hosted-$$" UPWASH_RANKS_PER_PROCESS=2 \
    timeout 60 "$bin/hosted" 2 2 2 >"$out.$rank" 2>&1 &
  pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid" || fail "3 processes of 2 ranks: status $?"; done
[[ $(cat "$out".*) == "hosted: 6 ranks" ]] || fail "3 processes of 2 ranks"

"$upwash" bench barrier -n 5 --ranks-per-process 3 --samples 1 --sample-ms 0.1 >"$out" 2>&1 ||
  fail "bench: status $?"
"$upwash" bench barrier --conduit sim -n 5 --ranks-per-process 3 --samples 1 >"$out" 2>&1 ||
  fail "bench on sim: status $?"
"$upwash" tune barrier -n 5 --ranks-per-process 3 --bytes 0 --samples 3 --sample-ms 0.1 \
  --output none >"$out" 2>&1 || fail "tune: status $?"
echo "ranks_per_process: ok"
