#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Conduit mpi with each MPI library that is installed: started by upwash run and by the library's
# own launcher; wrong starts; failures of all kinds, which end the job with a line that says why and
# leave nothing behind. A library that is missing is named and passed over.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
source "$(dirname "${BASH_SOURCE[0]}")/lib/reports.sh"
out=$work/out
bin=$UPWASH_TEST_BIN
export UPWASH_CONFIG= TMPDIR=$work/tmp
mkdir "$TMPDIR"
evidence=("$work/out" "$work/err")

# Whatever must happen has so many looks of 50 ms: however slow the machine, only a hang needs them.
looks=1200

# run COMMAND...: its status in $status, its output in $work/out and $work/err.
run() {
  status=0
  timeout 120 "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
}

# says STATUS LINE: the last command ended so, with this line (an extended expression) and no other.
says() {
  [[ $status == "$1" ]] || fail "$case_now: status $status, expected $1"
  [[ $(grep -c '^upwash: ' "$work/err") == 1 ]] || fail "$case_now: expected one line"
  grep -qE "^upwash: $2\$" "$work/err" || fail "$case_now: expected '$2'"
}

sums() {
  [[ $status == 0 ]] || fail "$case_now: status $status"
  for rank in 0 1 2 3; do echo "rank $rank of 4: sum 6"; done >"$work/expected"
  diff <(sort "$work/out") "$work/expected" >&2 || fail "$case_now: other output"
}

# Processes of this job, by the folder that is in their environment.
ours() {
  for environment in /proc/[0-9]*/environ; do
    grep -qzxF "TMPDIR=$TMPDIR" "$environment" 2>/dev/null || continue
    local pid=${environment#/proc/}
    pid=${pid%/environ}
    grep -qaE "$1" "/proc/$pid/cmdline" 2>/dev/null && echo "$pid"
  done
  true
}

nothing_stays() {
  local left=
  for _ in $(seq "$looks"); do
    left=$(ours "^($bin/|mpi|orted|prted|hydra)")
    [[ -z $left ]] && break
    sleep 0.05
  done
  [[ -z $left ]] || fail "$case_now: processes stay: $(ps -o pid=,args= -p ${left//$'\n'/,})"
  left=$(find "$TMPDIR" -type f)
  [[ -z $left ]] || fail "$case_now: files stay: $left"
  left=$(find /dev/shm -newer "$work/begin" -name '*upwash*')
  [[ -z $left ]] || fail "$case_now: shared memory stays: $left"
}

# begin COMMAND...: starts a job of three that talk without end; ranks: its processes, by rank.
begin() {
  : >"$work/out"
  # A shell ignores SIGINT for its commands in the background, and upwash run would keep that.
  env --default-signal=INT "$@" "$bin/endless" >"$work/out" 2>"$work/err" </dev/null &
  launcher=$!
  for _ in $(seq "$looks"); do
    [[ $(grep -c '^talking' "$work/out") == 3 ]] && break
    kill -0 "$launcher" 2>/dev/null || fail "$case_now: it ended"
    sleep 0.05
  done
  ranks=()
  local pid rank
  for pid in $(ours "^$bin/endless"); do
    rank=$(tr '\0' '\n' <"/proc/$pid/environ" | sed -nE 's/^(OMPI_COMM_WORLD_RANK|PMI_RANK)=//p')
    [[ -z $rank ]] || ranks[rank]=$pid
  done
  ((${#ranks[@]} == 3)) || fail "$case_now: ${#ranks[@]} ranks found"
}

# Now and then a rank is killed while MPICH reads its memory for another, which MPICH ends for that with
# status 15, its class of other errors. Hydra may tell that one, as if it were a signal; no other excuse is taken.
as_if_first() {
  [[ $library == mpich && $status == 143 ]] || return 0
  grep -qE 'process_vm_readv\(pid=.* No such process$' "$work/err" || return 0
  status=137
}

# ends STATUS LINE: the job that `begin` began.
ends() {
  for _ in $(seq "$looks"); do
    kill -0 "$launcher" 2>/dev/null || break
    sleep 0.05
  done
  ! kill -0 "$launcher" 2>/dev/null || fail "$case_now: it goes on"
  status=0
  wait "$launcher" || status=$?
  as_if_first
  says "$@"
  nothing_stays
}

# death RANK PID: the line that says so. MPICH's launcher may kill the others before one of them has
# said whose death it saw, and knows no more itself.
death() {
  local line="rank $1 \(pid $2\) died; job ended"
  [[ $library != mpich ]] || line="($line|a process was killed by signal 9 \(Killed\); job ended)"
  echo "$line"
}

killed_rank() {
  case_now="$library: a killed rank"
  begin "$@"
  local victim=$((RANDOM % 3))
  kill -KILL "${ranks[victim]}"
  ends 137 "$(death "$victim" "${ranks[victim]}")"
}

# reports COMMAND -- PATTERN...: the ranks of a job that hangs ask each other, and one reports.
reports() {
  split_at_dashes "$@"
  UPWASH_HANG_REPORT=500ms until_said 6 "ranks of the job:" -- "${command[@]}"
  [[ $(grep -c "ranks of the job:" "$out") == 1 ]] || fail "$case_now: one report by ${command[*]}"
  each_once
  nothing_stays
}

hangs() {
  case_now="$library: a job that hangs"
  reports "$upwash" run --conduit mpi -n 4 "$bin/hanging" missing -- \
    "^upwash: rank [0-3] has waited in (barrier|finish) for [0-9.]+ s; the 4 ranks of the job:" \
    "^  3     waits in finish " "^  conclusion: rank 3 never called barrier #[0-9]+ of the world; it waits in finish$"
  reports "$upwash" run --conduit mpi -n 4 "$bin/hanging" stream -- \
    "^  0-2   waits in quiescence at hanging.cpp:[0-9]+ " "^  3     waits in receive at hanging.cpp:[0-9]+ " \
    "^  conclusion: rank 3 never called quiescence #2 of the world; it waits in receive at hanging.cpp:[0-9]+$"
  reports "$upwash" run --conduit mpi -n 3 "$bin/hanging" computes -- \
    "^  0     computes without calling the library \(pid [0-9]+\)" \
    "^  1, 2  waits in all_reduce at hanging.cpp:[0-9]+ " \
    "^  conclusion: rank 0 computes without calling the library \(pid [0-9]+\); ranks 1, 2 wait for it$"
  reports "$upwash" run --conduit mpi -n 4 --ranks-per-process 2 "$bin/hanging" cycle -- \
    "^  conclusion: a cycle: rank 0 waits in receive for rank 1, which waits in receive for rank 2, .*for rank 0$"
  reports env UPWASH_FAKE_NODES=2 "$upwash" run --conduit shm+mpi -n 4 "$bin/hanging" polls -- \
    "^  0-2   waits in a loop over progress " "^  3     waits in finish "
}

# asked: a job is looked at from outside, and asked by SIGUSR1.
asked() {
  case_now="$library: a job that is asked"
  UPWASH_HANG_REPORT=0 "$upwash" run --timeout 120s --conduit mpi -n 4 "$bin/hanging" missing >"$work/err" 2>&1 &
  launcher=$!
  for _ in $(seq "$looks"); do
    "$upwash" status "$launcher" >"$out" 2>&1 || true
    grep -q "conclusion: rank 3 never called barrier" "$out" && break
    sleep 0.05
  done
  grep -q "conclusion: rank 3 never called barrier #[0-9]* of the world; it waits in finish" "$out" || fail "$case_now: its status"
  kill -USR1 "$launcher"
  for _ in $(seq "$looks"); do
    grep -q "conclusion: rank 3 never called barrier" "$work/err" && break
    sleep 0.05
  done
  grep -q "conclusion: rank 3 never called barrier #[0-9]* of the world; it waits in finish" "$work/err" || fail "$case_now: its report"
  kill "$launcher"
  wait "$launcher" || true
  nothing_stays
}

# Started by upwash run.
by_upwash() {
  case_now="$library: upwash run"
  local start=("$upwash" run --conduit mpi -n)
  run "${start[@]}" 4 "$bin/attached"
  sums
  case_now="$library: shm between processes of a node, mpi between nodes"
  run env UPWASH_FAKE_NODES=2 "$upwash" run --conduit shm+mpi -n 4 "$bin/attached"
  sums
  case_now="$library: ranks that share processes"
  run "${start[@]}" 5 --ranks-per-process 2 "$bin/throwing" none
  [[ $status == 0 ]] || fail "$case_now: status $status"
  case_now="$library: memory of a rank that computes, with a progress thread and without"
  rm -f "$work/served"
  run env UPWASH_PROGRESS_THREAD=1 "${start[@]}" 3 "$bin/busy" 60 "$work/served"
  [[ $status == 0 && $(cat "$work/out") == $'computing\nserved' ]] || fail "$case_now: status $status"
  rm -f "$work/served"
  run "${start[@]}" 3 "$bin/busy" 1 "$work/served"
  [[ $status == 0 && $(cat "$work/out") == $'computing\nnot served' ]] || fail "$case_now: status $status"
  case_now="$library: lines that say whose they are"
  run "${start[@]}" 4 --prefix "$bin/attached"
  sed -E -i 's/^\[([0-3])\] rank \1 /rank \1 /' "$work/out"
  sums
  case_now="$library: a rank's status"
  run "${start[@]}" 3 "$bin/throwing" status
  [[ $status == 5 ]] || fail "$case_now: $status"
  case_now="$library: a rank throws"
  run "${start[@]}" 3 "$bin/throwing" body
  says 1 "rank 2: the program threw: out of luck; job ended"
  case_now="$library: a handler throws"
  run "${start[@]}" 3 "$bin/throwing"
  says 1 "rank 2: handler .*explode of a message from rank 0 threw: out of luck; handlers must not throw; job ended"
  case_now="$library: a rank throws while an operation is under way"
  run "${start[@]}" 3 "$bin/throwing" receiving
  says 1 "rank 2: the program threw: out of luck; job ended"
  case_now="$library: abort"
  run "${start[@]}" 3 "$bin/attached" 7
  says 7 "rank 2: it is enough; job ended"
  case_now="$library: a rank that leaves past its job"
  run "${start[@]}" 3 "$bin/deserting"
  says 1 "rank 2: an exception went past its attached job, which it left; job ended"
  grep -q '^caught: out of luck$' "$work/err" || fail "$case_now: its own words are lost"
  case_now="$library: a rank that leaves at once"
  run "${start[@]}" 3 "$bin/deserting" at once
  [[ $status != 0 ]] || fail "$case_now: status 0"
  # MPICH's launcher may end the others with status 0 before they can say it.
  says "$status" "($(death 2 '[0-9]+')|rank 2 exited with status 0 before it had finished; job ended)"
  case_now="$library: a rank alone that leaves at once"
  run "${start[@]}" 1 "$bin/deserting" at once
  [[ $status != 0 ]] || fail "$case_now: status 0"
  grep -qE '^upwash: rank 0 exited (with status 0 )?before it had finished; ' "$work/err" || fail "$case_now: the line"
  case_now="$library: the time-out"
  run "${start[@]}" 3 --timeout 2s "$bin/endless"
  says 124 "the time-out of 2 s has passed; job ended"
  case_now="$library: no program"
  run "${start[@]}" 3 /no/such/program
  says 2 "cannot start '/no/such/program': No such file or directory"
  nothing_stays
  hangs
  asked

  killed_rank "${start[@]}" 3
  case_now="$library: a stopped rank, which goes on"
  begin "${start[@]}" 3
  kill -STOP "${ranks[1]}"
  awaited "rank 1 \(pid ${ranks[1]}\) is stopped; kill -CONT ${ranks[1]} lets it go on"
  kill -CONT "${ranks[1]}"
  awaited "rank 1 \(pid ${ranks[1]}\) goes on"
  sed -i '/^upwash: rank 1 /d' "$work/err"
  case_now="$library: Ctrl-C"
  kill -INT "$launcher"
  for _ in $(seq "$looks"); do
    kill -0 "$launcher" 2>/dev/null || break
    sleep 0.05
  done
  status=0
  wait "$launcher" || status=$?
  [[ $status == 130 ]] || fail "$case_now: status $status"
  nothing_stays
}

# awaited LINE: a job that goes on says this.
awaited() {
  for _ in $(seq "$looks"); do
    grep -qE "^upwash: $1\$" "$work/err" && return
    sleep 0.05
  done
  fail "$case_now: not said: $1"
}

# by_library COMMAND...: started by the library's own launcher; -n N follows.
by_library() {
  export UPWASH_CONDUIT=mpi
  case_now="$library: its own launcher"
  run "$@" -n 4 "$bin/attached"
  sums
  case_now="$library: its own launcher, a rank throws"
  run "$@" -n 3 "$bin/throwing" body
  [[ $status == 1 ]] || fail "$case_now: status $status"
  says 1 "rank 2: the program threw: out of luck; job ended"
  case_now="$library: its own launcher, abort"
  run "$@" -n 3 "$bin/attached" 7
  says 7 "rank 2: it is enough; job ended"
  unset UPWASH_CONDUIT
  case_now="$library: no conduit named"
  run env UPWASH_LOG=info "$@" -n 4 "$bin/attached"
  grep -q '^upwash shm: 4 ranks in 4 processes' "$work/err" || fail "$case_now: shm is not chosen"
  sums
  nothing_stays
}

# wrongly STATUS TEXT COMMAND...: each process says this, and what to do.
wrongly() {
  local wanted=$1 text=$2
  shift 2
  UPWASH_CONDUIT=mpi run "$@"
  [[ $status == "$wanted" ]] || fail "$case_now: status $status"
  grep -qF "$text" "$work/err" || fail "$case_now: expected '$text'"
  nothing_stays
}

# Between MPI_Init and MPI_Finalize no call waits for a peer: the plugin knows these alone, by their second names. MPI_Wait is
# for receives that were cancelled, MPI_Comm_free for the end.
blocks_nowhere() {
  case_now="$library: calls of the plugin"
  command -v nm >/dev/null || return 0
  local plugin may="Abort|Cancel|Comm_(free|idup|rank|set_errhandler|size)|Error_string|Finalized?"
  may+="|Get_(count|library_version)|I(alltoall|bcast|recv|send)|Init_thread|Initialized|Query_thread|Test|Testsome|Wait"
  plugin=$("$upwash" info 2>/dev/null | sed -nE "s/^ *$library .*plugin ([^;]*);.*/\1/p" | head -n 1)
  nm -D --undefined-only "$plugin" | grep -oE '\bP?MPI_\w+' >"$work/out"
  shows -x PMPI_Isend <"$work/out" || fail "$case_now: none found"
  ! shows -vxE "PMPI_($may)" <"$work/out" || fail "$case_now: others than are known"
}

# has LIBRARY: a plugin and a launcher.
has() { "$upwash" info 2>/dev/null | shows -E "^ *$1 .*plugin /.*; launcher "; }

: >"$work/begin"
openmpi=(mpirun.openmpi --allow-run-as-root --oversubscribe)
mpich=(mpiexec.mpich)
found=()
for library in openmpi mpich; do
  if ! has "$library"; then
    echo "mpi: no plugin or no launcher of $library, not tried (Debian: lib$library-dev, ${library/openmpi/openmpi-bin})"
    continue
  fi
  found+=("$library")
  blocks_nowhere
  export UPWASH_MPI_LIBRARY=$library
  by_upwash
  declare -n words=$library
  unset UPWASH_MPI_LIBRARY
  by_library "${words[@]}"
  echo "mpi: $library works"
done
((${#found[@]} > 0)) || { echo "mpi: no MPI library is installed, skipped"; exit 77; }

case_now="alone"
wrongly 2 "no launcher of an MPI library started this process; start it by upwash run -n N --conduit mpi, by mpirun, or by srun --mpi=pmix or pmi2" \
  env -u UPWASH_MPI_LIBRARY "$bin/attached"
case_now="no such plugin"
wrongly 2 "there is no file /no/such" env UPWASH_MPI_PLUGIN=/no/such UPWASH_MPI_LIBRARY="${found[0]}" "$bin/attached"
if ((${#found[@]} == 2)); then
  case_now="the other library's launcher"
  wrongly 2 "mpirun of Open MPI started this process, which takes MPICH because mpi_library=mpich says so; start it by mpiexec of MPICH, or srun --mpi=pmi2" \
    env UPWASH_MPI_LIBRARY=mpich "${openmpi[@]}" -n 2 "$bin/attached"
  wrongly 2 "mpiexec of MPICH started this process, which takes Open MPI because mpi_library=openmpi says so; start it by mpirun of Open MPI, or srun --mpi=pmix" \
    env UPWASH_MPI_LIBRARY=openmpi "${mpich[@]}" -n 2 "$bin/attached"
fi
echo "mpi: ok"
