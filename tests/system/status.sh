#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A running job, seen from outside: which there are, what their ranks do, at what rates, and who is
# odd in a hang; a debugger at a rank. The job goes on.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
bin=$UPWASH_TEST_BIN
export UPWASH_CONFIG= UPWASH_HANG_REPORT=0
evidence=("$work/out" "$work/job")

# begin WORD...: a job; its launcher is $job.
begin() {
  : >"$work/job"
  "$upwash" run --timeout 200s "$@" >"$work/job" 2>&1 &
  job=$!
}
# until_status PATTERN: the job's status has a line like it.
until_status() {
  for _ in $(seq 200); do
    "$upwash" status "$job" >"$work/out" 2>&1 || true
    if grep -qE "$1" "$work/out"; then return; fi
    sleep 0.1
  done
  fail "no status like $1"
}
end_job() {
  kill -0 "$job" || fail "the job goes on"
  kill "$job"
  wait "$job" 2>/dev/null || true
}

begin -n 3 "$bin/hanging" missing
until_status "conclusion: rank 2 never called barrier #2 of the world; it waits in finish"
grep -qE "^job $job: .*upwash run --timeout 200s -n 3 .*/hanging missing$" "$work/out" || fail "its command"
grep -qE "^  0, 1  waits in barrier at hanging.cpp:[0-9]+" "$work/out" || fail "who waits"
[[ ! -s $work/job ]] || fail "nobody tells the job's user"
end_job

# Rates, of processes and of fibers; with and without a rank that computes.
for hosting in "--ranks-per-process 1" "--ranks-per-process 2"; do
  read -ra words <<<"$hosting"
  begin -n 4 "${words[@]}" "$bin/endless"
  until_status "^job $job"
  until grep -q talking "$work/job"; do sleep 0.05; done
  "$upwash" top "$job" --times 3 --interval 300ms >"$work/out" || fail "top"
  [[ $(grep -c "^job $job:" "$work/out") == 3 ]] || fail "three looks"
  [[ $(grep -cE "^ +[0-3] +[0-9]+ +[0-9]+%" "$work/out") == 12 ]] || fail "a line for each rank"
  # The last look knows what was done since the ones before: collectives, without end.
  awk '$1 == "all" { last = $0 } END { $0 = last; exit !($6 + 0 > 0 && /4 ranks$/) }' \
    "$work/out" || fail "collectives a second"
  end_job
done
begin -n 2 "$bin/hanging" computes
until_status "rank 0 +computes|^  0 +computes without calling the library \(pid [0-9]+\)"
"$upwash" top "$job" --times 2 --interval 400ms >"$work/out"
grep -qE "^ +0 +[0-9]+ +[1-9][0-9]*% .* computes without calling the library" "$work/out" || fail "it computes"

# A debugger is given the process of the rank.
"$upwash" attach-debugger 1 --job "$job" --debugger "echo process" >"$work/out" 2>&1 || fail "a debugger"
pid=$(sed -n 's/^process //p' "$work/out")
[[ $pid != "$job" && $(readlink "/proc/$pid/exe") == */hanging ]] || fail "the process of rank 1"
refused "rank 2: job $job has ranks 0 to 1" "$upwash" attach-debugger 2 --job "$job"
refused "rank -1: job $job has ranks 0 to 1" "$upwash" attach-debugger --job "$job" -- -1

# Two jobs are listed; neither is guessed.
first=$job
begin -n 5 "$bin/hanging" missing
until_status "waits in finish"
"$upwash" status >"$work/out"
grep -qE "^ +$first +2 ranks .*hanging computes$" "$work/out" || fail "the first job is listed"
grep -qE "^ +$job +5 ranks .*hanging missing$" "$work/out" || fail "the second job is listed"
status=0
"$upwash" top >"$work/out" 2>&1 || status=$?
[[ $status == 2 ]] && grep -qE "^upwash: [0-9]+ jobs run here: name one by its launcher" "$work/out" ||
  fail "one of several is wanted"
end_job
job=$first
"$upwash" top "$job" --interval 100ms >"$work/out" 2>&1 &
watcher=$!
sleep 0.5
end_job
wait "$watcher" || fail "top ends with its job"
grep -q "^job $job has ended$" "$work/out" || fail "top says that the job has ended"

refused "process 1 is no launcher of a job of yours; upwash status lists them" "$upwash" status 1
refused "process $$ is no launcher of a job of yours; upwash status lists them" "$upwash" top $$
refused "--interval 1us: expected a time of 50 ms or more, as 2s" "$upwash" top --interval 1us

# Memory that only looks like a job: of impossible numbers, or without the seal that keeps its size,
# with a command line that would do something to a terminal.
cat >"$work/forged.py" <<'PY'
import fcntl, os, struct, sys, time
ranks, size, sealed = int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "sealed"
fd = os.memfd_create("upwash-control", os.MFD_ALLOW_SEALING)
os.ftruncate(fd, size)
started = int(open("/proc/self/stat").read().rsplit(")", 1)[1].split()[19])
os.pwrite(fd, struct.pack("<QIIIiiiQII", int(sys.argv[1], 16), 1, ranks & 0xffffffff, 1, -1, os.getpid(), 0, started, 1, 0), 0)
os.pwrite(fd, struct.pack("<iiiiQII", 1, os.getpid(), 0, 0, started, ranks & 0xffffffff, 0), 16384)
if sealed:
    fcntl.fcntl(fd, 1033, 2)  # F_ADD_SEALS, F_SEAL_SHRINK
print("ready", flush=True)
time.sleep(200)
PY
magic=$(sed -n "s/.*magic_value = 0x\([0-9a-f]*\)'\([0-9a-f]*\)U.*/\1\2/p" \
  "$(dirname "${BASH_SOURCE[0]}")/../../upwash/launch/detail/control_block.hpp")
# forged RANKS BYTES SEAL: such a process is $forger.
forged() {
  : >"$work/ready"
  python3 "$work/forged.py" "$magic" "$@" $'\x1b[2J' >"$work/ready" &
  forger=$!
  until grep -q ready "$work/ready"; do sleep 0.05; done
}
forged 1 40000 sealed
timeout 100 "$upwash" status "$forger" >"$work/out" 2>&1 || fail "memory in order is shown"
grep -qE "^job $forger: .*.x1b\[2J" "$work/out" && ! grep -q $'\x1b' "$work/out" || fail "controls are escaped"
kill "$forger"
for numbers in "1000000 40000" "-1 40000" "1 17000"; do
  # shellcheck disable=SC2086
  forged $numbers sealed
  refused "process $forger is no launcher of a job of yours; upwash status lists them" \
    timeout 100 "$upwash" status "$forger"
  kill "$forger"
done
forged 1 40000 open
refused "process $forger is no launcher of a job of yours; upwash status lists them" \
  timeout 100 "$upwash" status "$forger"
kill "$forger"
