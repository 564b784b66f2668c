#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A launcher in unkind surroundings: closed descriptors, readers that do not read, signals that were
# ignored before, Ctrl-Z. Deaths, signals and the time-out are noticed all the same, and told.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
bin=$UPWASH_TEST_BIN
export UPWASH_CONFIG=
evidence=("$work/out" "$work/err")

# said: the lines of upwash on standard error, but for that of programs that are none of upwash's.
said() { grep -v "^upwash: none of the [0-9]* processes has joined the job: " "$work/err" || true; }

# Closed standard descriptors, all sets of them.
for closed in "0<&-" "1>&-" "2>&-" "0<&- 1>&-" "0<&- 2>&-" "1>&- 2>&-" "0<&- 1>&- 2>&-"; do
  for words in "$upwash run -n 2 $bin/printing 200" "env UPWASH_RANKS_PER_PROCESS=3 $bin/printing 200" \
    "env UPWASH_CONDUIT=sim UPWASH_RANKS=2 $bin/printing 200" "$upwash info"; do
    status=0
    timeout 100 bash -c "$words $closed" >/dev/null 2>&1 || status=$?
    [[ $status == 0 ]] || fail "$words $closed: status $status"
  done
done

# Nobody reads: a death, the time-out and signals end the job while its reader still sleeps.
mkfifo "$work/fifo"
# ends_unread STATUS LINE HOW [OPTION...]
ends_unread() {
  local wanted=$1 line=$2 how=$3 status=0
  shift 3
  (trap - TERM; exec sleep 300 <"$work/fifo") & local reader=$!
  "$upwash" run -n 3 "$@" yes >"$work/fifo" 2>"$work/err" & local job=$!
  until [[ $(pgrep -c -P "$job" -x yes) == 3 ]]; do sleep 0.05; done
  until [[ $(ps -o state= --ppid "$job" | grep -c S) == 3 ]]; do sleep 0.05; done  # the pipes are full
  case $how in
    death) kill -9 "$(pgrep -P "$job" -x yes | tail -1)" ;;
    INT | TERM | HUP) kill "-$how" "$job" ;;
  esac
  wait "$job" || status=$?
  kill -0 "$reader" 2>/dev/null || fail "$how: the job waited for its reader"
  kill "$reader"
  wait "$reader" 2>/dev/null || true
  [[ $status == "$wanted" ]] || fail "$how: status $status"
  grep -qE "^upwash: $line$" "$work/err" || fail "$how: nobody says why"
  grep -qE "^upwash: [0-9]+ bytes of standard output are lost: nobody has read them for 2 s$" "$work/err" ||
    fail "$how: nobody says what is lost"
  [[ $(wc -l <"$work/err") == 2 ]] || fail "$how: two lines"
}
ends_unread 137 'rank [0-2] \(pid [0-9]+\) was killed by signal 9 \(Killed\); job ended' death
ends_unread 143 'signal 15 \(Terminated\); job ended' TERM
ends_unread 124 'the time-out of 1 s has passed; job ended' timeout --timeout 1s
# A slow reader loses nothing.
"$upwash" run -n 2 seq 100000 2>"$work/err" | { sleep 1; wc -l; } >"$work/out"
[[ $(tr -d ' ' <"$work/out") == 200000 && -z $(said) ]] || fail "a slow reader gets all lines"

# What is ignored at the start stays ignored.
for signal in HUP INT; do
  (trap '' "$signal"; exec "$upwash" run -n 2 sh -c 'echo up; until [ -e "$0" ]; do sleep 0.05; done' "$work/go") \
    >"$work/out" 2>"$work/err" & job=$!
  until [[ $(grep -c up "$work/out") == 2 ]]; do sleep 0.05; done
  kill "-$signal" "$job"
  sleep 0.3
  touch "$work/go"
  wait "$job" || fail "SIG$signal that was ignored ends the job: $?"
  [[ -z $(said) ]] || fail "nothing is said of SIG$signal"
  rm "$work/go"
done

# Ctrl-Z stops the ranks with the launcher, and lets all go on; over hosts for longer than host_timeout.
printf '#!/bin/sh\nshift\nexec "$@"\n' >"$work/here"
chmod +x "$work/here"
# finish: waits for the job's end, past its stops, which a shell with job control tells of; $status.
finish() {
  status=147
  while [[ $status == 147 || $status == 148 ]]; do
    status=0
    wait "$job" || status=$?
  done
}
set -m  # a process group of its own, which a shell looks after
for options in "" "--hosts a,b --rsh $work/here --knob host_timeout=1s"; do
  # shellcheck disable=SC2086
  "$upwash" run -n 2 $options sh -c 'while [ ! -e "$0" ]; do echo turn; sleep 0.05; done; echo done' "$work/go" \
    >"$work/out" 2>"$work/err" & job=$!
  until grep -q turn "$work/out"; do sleep 0.05; done
  kill -TSTP "$job"
  until [[ $(ps -o state= -p "$job") == T ]]; do sleep 0.05; done
  sleep 2.5
  lines=$(wc -l <"$work/out")
  touch "$work/go"
  sleep 0.5
  [[ $(wc -l <"$work/out") == "$lines" ]] || fail "ranks of a stopped job go on ($options)"
  kill -CONT "$job"
  finish
  [[ $status == 0 && -z $(said) && $(grep -c '^done$' "$work/out") == 2 ]] ||
    fail "a job that was suspended ends with status $status ($options)"
  rm "$work/go"
done
# Without a warning the hosts cannot know; then at least one line says why.
"$upwash" run -n 2 --hosts a,b --rsh "$work/here" --knob host_timeout=1s sleep 31415 >"$work/out" 2>"$work/err" & job=$!
until [[ $(pgrep -c -f "^sleep 31415$") -ge 2 ]]; do sleep 0.05; done
kill -STOP "$job"
sleep 3
kill -CONT "$job"
finish
[[ $status == 1 && $(wc -l <"$work/err") == 1 ]] || fail "a stopped head: status $status"
grep -qE '^upwash: host [ab] has heard nothing from upwash run for 1 s \(host_timeout, .*\); job ended$' "$work/err" ||
  fail "a stopped head says why"
set +m

# Knobs with the meaning of an option are followed, or refused where both are on the command line.
refused "--knob conduit=sim contradicts --conduit shm; leave one of them out" \
  "$upwash" run -n 2 --conduit shm --knob conduit=sim true
refused "--knob ranks=3 contradicts -n 2; leave one of them out" "$upwash" run -n 2 --knob ranks=3 true
refused "--knob ranks_per_process=2 contradicts --ranks-per-process 1; leave one of them out" \
  "$upwash" run -n 2 --ranks-per-process 1 --knob ranks_per_process=2 true
printf '{"conduit": "sim"}\n' >"$work/knobs.json"
# on_sim COMMAND...: a job of 3 ranks on conduit sim.
on_sim() {
  UPWASH_LOG=info "$@" "$bin/printing" 1 >"$work/out" 2>"$work/err" || fail "'$*'"
  grep -q "3 ranks on conduit sim, 3 in this process" "$work/err" || fail "'$*' is not followed"
}
on_sim "$upwash" run -n 3 --knob conduit=sim
on_sim env UPWASH_CONDUIT=sim UPWASH_RANKS=7 "$upwash" run -n 3
on_sim env UPWASH_CONFIG="$work/knobs.json" "$upwash" run -n 3
UPWASH_CONDUIT=sim UPWASH_LOG=info "$upwash" run -n 3 --conduit shm "$bin/printing" 1 >"$work/out" 2>"$work/err"
grep -q "3 ranks on conduit shm, 1 in this process" "$work/err" || fail "an option counts more than a variable"
for words in "env UPWASH_RANKS_PER_PROCESS=2 $upwash run" "$upwash run --knob ranks_per_process=2"; do
  # shellcheck disable=SC2086
  UPWASH_LOG=info $words -n 4 "$bin/printing" 1 >"$work/out" 2>"$work/err"
  grep -q "4 ranks on conduit shm, 2 in this process" "$work/err" || fail "$words is not followed"
done
refused "ranks = 4 (UPWASH_RANKS): this job has 1 on conduit shm, whose processes a launcher starts; start it by upwash run -n 4, or on conduit sim" \
  env UPWASH_RANKS=4 "$bin/printing" 1
"$upwash" run -n 2 --checked --conduit sim sh -c 'echo "checked $UPWASH_CHECKED"' >"$work/out"
grep -q "^checked 1$" "$work/out" || fail "--checked"

# A program of an MPI: one line before it starts.
if command -v mpicc >/dev/null; then
  printf 'int MPI_Init(int*, char***);\nint MPI_Finalize(void);\nint main(int c, char** v) { return MPI_Init(&c, &v) + MPI_Finalize(); }\n' >"$work/mpi.c"
  mpicc "$work/mpi.c" -o "$work/mpi_program"
  "$upwash" run -n 2 sh -c : 2>"$work/err"
  ! grep -q "MPI program" "$work/err" || fail "a shell is no MPI program"
  "$upwash" run -n 2 --timeout 60s "$work/mpi_program" >"$work/out" 2>"$work/err" || true
  head -1 "$work/err" | shows -E "^upwash: $work/mpi_program is an MPI program \(it is linked with libmpi[a-z]*\.so\.[0-9]+\) without upwash: .*; start it by upwash mpi -- mpirun -n 2 $work/mpi_program$" ||
    fail "an MPI program under upwash run"
else
  echo "launcher_life: MPI programs: skipped: no mpicc"
fi
echo "launcher_life: ok"
