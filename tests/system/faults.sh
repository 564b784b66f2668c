#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Jobs that go wrong: ranks killed at random moments, Ctrl-C, programs that are missing or leave
# early, a killed launcher. The job ends by itself, one line says why, nothing stays.
# UPWASH_TEST_KILLS: how many ranks are killed, in four kinds of moments and jobs.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
rank=("$UPWASH_TEST_BIN/unit_tests" '--gtest_filter=launched_rank.*'
      --gtest_also_run_disabled_tests --gtest_brief=1)
cd "$work" || exit 1
kills=$((${UPWASH_TEST_KILLS:-100} / 4))
evidence=("$work/err")

# Of the jobs that meet by name below; other jobs on this machine have theirs.
objects() { find /dev/shm -name "upwash-*-faults-$$-*" 2>/dev/null | wc -l; }

# alive PID...: those that still run (zombies do not)
alive() {
  for pid in "$@"; do
    grep -qE '^State:[[:space:]]+[^ZX[:space:]]' "/proc/$pid/status" 2>/dev/null && echo "$pid"
  done
}

# Whatever must happen has so many looks of 20 ms: however slow the machine, only a hang needs them.
looks=3000

# begin N ROLE OPTIONS...: starts a job of N ranks, waits until all of them talk; sets launcher, ranks
begin() {
  local count=$1 role=$2 processes=$1
  shift 2
  [[ ${1:-} == --ranks-per-process ]] && processes=$(((count + $2 - 1) / $2))
  : >"$work/out"  # here: the job's shell empties it later, and the last job's lines still count
  # A shell ignores SIGINT for its commands in the background, and upwash run would keep that.
  UPWASH_TEST_ROLE=$role env --default-signal=INT "$upwash" run -n "$count" "$@" "${rank[@]}" \
    >"$work/out" 2>"$work/err" &
  launcher=$!
  for _ in $(seq "$looks"); do
    [[ $(grep -c '^talking' "$work/out") == "$processes" ]] && break
    sleep 0.02
  done
  [[ $(grep -c '^talking' "$work/out") == "$processes" ]] || fail "$count ranks did not start"
  mapfile -t ranks < <(pgrep -P "$launcher")
}

# gone PID...: waits until none of them runs
gone() {
  for _ in $(seq "$looks"); do
    [[ -z $(alive "$@") ]] && return
    sleep 0.02
  done
  fail "still there: $(alive "$@")"
}

# end STATUS PATTERN: the job ends so, with one line like PATTERN
end() {
  local wanted=$1 pattern=$2 status=0
  gone "$launcher"
  wait "$launcher" || status=$?
  [[ $status == "$wanted" ]] || fail "status $status, expected $wanted"
  [[ $(grep -c '^upwash: ' "$work/err") == 1 ]] || fail "expected one line"
  grep -qE "$pattern" "$work/err" || fail "expected a line like '$pattern'"
  nothing_stays
}

nothing_stays() {
  [[ -z $(alive "${ranks[@]}") ]] || fail "still there: $(alive "${ranks[@]}")"
  [[ $(objects) == 0 ]] || fail "shared memory objects stay: $(ls /dev/shm)"
  [[ $(find "$work" -type f | sort) == "$work/err"$'\n'"$work/out" ]] || fail "files stay: $(ls)"
}

for i in $(seq "$kills"); do
  if ((i % 4 == 0)); then begin 5 talk --ranks-per-process 2; else begin $((1 + i % 4)) talk; fi
  sleep "0.0$((RANDOM % 100))"
  victim=${ranks[RANDOM % ${#ranks[@]}]}
  kill -9 "$victim"
  end 137 "^upwash: ranks? [0-9]+( and [0-9]+)? \(pid $victim\) (was|were) killed by signal 9 \(Killed\); job ended$"
done

# At any moment: also while the ranks are only starting.
for i in $(seq "$kills"); do
  UPWASH_TEST_ROLE=talk "$upwash" run -n 4 "${rank[@]}" >"$work/out" 2>"$work/err" &
  launcher=$!
  ranks=()
  while [[ ${#ranks[@]} == 0 ]]; do mapfile -t ranks < <(pgrep -P "$launcher"); done
  sleep "0.0$((RANDOM % 10))"
  kill -9 "${ranks[0]}"
  end 137 "^upwash: ranks? [0-9]+( and [0-9]+)? \(pid ${ranks[0]}\) (was|were) killed by signal 9"
done

# Jobs without a launcher of upwash: the others see it, or miss the dead one after start_timeout.
# That is long enough for all who live to come: who came later than it would begin another job.
for i in $(seq $((2 * kills))); do
  : >"$work/out" && : >"$work/err"
  ranks=()
  for r in 0 1 2; do
    UPWASH_TEST_ROLE=talk UPWASH_RANK=$r UPWASH_SIZE=3 UPWASH_JOB_ID=faults-$$-$i \
      UPWASH_START_TIMEOUT=10s "${rank[@]}" >>"$work/out" 2>>"$work/err" &
    ranks+=($!)
  done
  if ((i % 2 == 0)); then
    for _ in $(seq "$looks"); do
      [[ $(grep -c '^talking' "$work/out") == 3 ]] && break
      sleep 0.02
    done
  fi
  sleep "0.0$((RANDOM % 100))"
  kill -9 "${ranks[RANDOM % 3]}"
  gone "${ranks[@]}"
  wait "${ranks[@]}" 2>/dev/null
  nothing_stays
  # On a machine so busy that a rank comes when the others have ended, it says that nobody comes.
  lines=$(grep -c '^upwash: ' "$work/err")
  late=0
  if ((i % 2 != 0 && lines == 2)); then
    late=$(grep -c '^upwash: .*the knob start_timeout has passed' "$work/err")
  fi
  ((lines - late == 1 || (lines == 2 && late == 2))) || fail "by name: not one line"
done

# However the others wait for the dead one: in loops of their own, too, and where something moves.
for how in test wait get send message; do
  : >"$work/err"
  ranks=()
  for r in 0 1 2; do
    UPWASH_RANK=$r UPWASH_SIZE=3 UPWASH_JOB_ID=faults-$$-orphan-$how timeout 60 \
      "$UPWASH_TEST_BIN/orphan" "$how" >>"$work/out" 2>>"$work/err" &
    ranks+=($!)
  done
  for r in 0 1; do
    wait "${ranks[r]}"
    [[ $? == 1 ]] || fail "orphan $how: the others do not end with status 1"
  done
  wait "${ranks[2]}"
  grep -qE '^upwash: rank 2 \(pid [0-9]+\) died; job ended$' "$work/err" || fail "orphan $how: line"
  [[ $(grep -c '^upwash: ' "$work/err") == 1 ]] || fail "orphan $how: not one line"
done

for signal in INT TERM; do
  begin 3 talk
  kill -$signal "$launcher"
  end $((128 + $(kill -l $signal))) '^upwash: signal [0-9]+ \(.*\); job ended$'
done

# A launcher that cannot clean up any more, when all talk and while they start.
for i in $(seq 6); do
  if ((i == 1)); then
    begin 3 talk
  else
    UPWASH_TEST_ROLE=talk "$upwash" run -n 3 "${rank[@]}" >"$work/out" 2>"$work/err" &
    launcher=$!
    ranks=()
    while [[ ${#ranks[@]} == 0 ]]; do mapfile -t ranks < <(pgrep -P "$launcher"); done
    sleep "0.0$((RANDOM % 10))"
    mapfile -t ranks < <(pgrep -P "$launcher")
  fi
  kill -9 "$launcher"
  wait "$launcher" 2>/dev/null
  gone "${ranks[@]}"
  nothing_stays
done

status_of() {
  "$@" >"$work/out" 2>"$work/err"
  echo $?
}

ranks=()
export UPWASH_TEST_ROLE
UPWASH_TEST_ROLE=early
[[ $(status_of "$upwash" run -n 3 "${rank[@]}") == 1 ]] || fail "early exit: wrong status"
grep -qE '^upwash: rank 1 \(pid [0-9]+\) exited with status 0 before it had finished; job ended$' \
  "$work/err" || fail "early exit: wrong line"
UPWASH_TEST_ROLE=abort
[[ $(status_of "$upwash" run -n 3 "${rank[@]}") == 3 ]] || fail "abort: wrong status"
[[ $(cat "$work/err" "$work/out" | grep -c 'out of luck') == 1 ]] || fail "abort: not told once"
grep -q '^upwash: rank 1: out of luck; job ended$' "$work/err" || fail "abort: wrong line"
UPWASH_TEST_ROLE=finish
[[ $(status_of "$upwash" run -n 3 "${rank[@]}") == 0 ]] || fail "a good end: wrong status"
unset UPWASH_TEST_ROLE

# refused STATUS LINE ARGUMENTS...: bad input is one line on standard error
refused() {
  local wanted=$1 line=$2
  shift 2
  [[ $(status_of "$upwash" run "$@") == "$wanted" ]] || fail "run $*: wrong status"
  [[ $(cat "$work/err") == "$line" ]] || fail "run $*: expected '$line'"
}
refused 2 "upwash: cannot start '/no/such/program': No such file or directory" \
  -n 2 /no/such/program
refused 2 "upwash: cannot start '/etc/passwd': Permission denied" -n 2 /etc/passwd
refused 2 'upwash: -n 0: expected a number of ranks from 1 to 65536' -n 0 true
refused 2 'upwash: -n -2: expected a number of ranks from 1 to 65536' -n -2 true
refused 2 'upwash: --conduit smoke: expected one of shm|sim|loopback|shm+ucx|shm+mpi|ucx|mpi' -n 2 --conduit smoke true
refused 2 'upwash: --bind socket: expected core or none' -n 2 --bind socket true
refused 2 'upwash: run: unknown option --frobnicate (see upwash run --help)' -n 2 --frobnicate true
refused 2 'upwash: run: no program to start (upwash run -n N program ...)' -n 2
refused 124 'upwash: the time-out of 0.1 s has passed; job ended' -n 2 --timeout 100ms sleep 100
# A rank that the kernel kills for lack of memory: the line says so. Where groups can be made.
group=/sys/fs/cgroup/upwash-faults-$$
limit=memory.max
[[ -d /sys/fs/cgroup/memory ]] && group=/sys/fs/cgroup/memory/upwash-faults-$$ limit=memory.limit_in_bytes
if mkdir "$group" 2>/dev/null && [[ -w $group/$limit ]]; then
  echo $((48 << 20)) >"$group/$limit"
  [[ ! -w $group/memory.swap.max ]] || echo 0 >"$group/memory.swap.max"
  [[ $(status_of bash -c 'echo $$ >"$0/cgroup.procs"; exec "$@"' "$group" \
    "$upwash" run -n 2 bash -c '((UPWASH_BOOT_PROCESS == 0)) && exec sleep 100; exec tail /dev/zero') == 137 ]] ||
    fail "no memory: wrong status"
  grep -qE '^upwash: rank [01] \(pid [0-9]+\) was killed by signal 9 \(Killed\): the kernel has run out of memory; this process held [1-9][0-9]*\.[0-9] MiB, of 2 ranks here: start fewer, or let each hold less; job ended$' \
    "$work/err" || fail "no memory: wrong line"
  rmdir "$group" 2>/dev/null || true
else
  rmdir "$group" 2>/dev/null || true
  echo "faults: no control group can be made here: no rank was short of memory"
fi
nothing_stays
echo "faults: $((4 * kills)) kills and all other ends were clean"
