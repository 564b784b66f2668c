#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Programs of MPI, as they are, with the preload library (docs/mpi.md): with each MPI that is installed
# here, random collective calls beside the library's own, the report, the knobs, wrong starts. What is not
# installed is named and passed over.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
sources=$(cd "$(dirname "${BASH_SOURCE[0]}")/../interop/mpi" && pwd)
export UPWASH_CONFIG=
evidence=("$work/out" "$work/err")
libraries=()
more=()

# start RANKS COMMAND...: by the launcher of $library, with the preload library
start() {
  local ranks=$1
  shift
  status=0
  case $library in
    openmpi)
      timeout 300 "$upwash" mpi "${more[@]}" "${knobs[@]}" -- mpirun.openmpi --allow-run-as-root --oversubscribe \
        --mca btl self,vader --mca oob_tcp_if_include lo -n "$ranks" "$@" \
        >"$work/out" 2>"$work/err" </dev/null || status=$?
      ;;
    mpich)
      timeout 300 "$upwash" mpi "${more[@]}" "${knobs[@]}" -- mpiexec.mpich -n "$ranks" "$@" \
        >"$work/out" 2>"$work/err" </dev/null || status=$?
      ;;
  esac
}

passes() {
  [[ $status == 0 ]] || fail "$library: $case_now: status $status"
}

# left JSON: of these functions no call was taken over, and all were left to the library for these
# reasons, as often
left() {
  python3 - "$work/report.json" "$1" <<'PYTHON' || fail "$library: $case_now: other reasons"
import json, sys
calls = {row["function"]: row for row in json.load(open(sys.argv[1]))["calls"]}
wanted = json.loads(sys.argv[2])
sys.exit(any(calls[name]["passed"] != why or calls[name]["taken"] for name, why in wanted.items()))
PYTHON
}

# Calls that upwash took over, of the functions that match
taken() {
  python3 - "$work/report.json" "$1" <<'PYTHON'
import json, re, sys
report = json.load(open(sys.argv[1]))
print(sum(row["taken"] for row in report["calls"] if re.fullmatch(sys.argv[2], row["function"])))
PYTHON
}

for library in openmpi mpich; do
  if [[ ! -e $UPWASH_TEST_BUILD/lib/libupwash-mpi-$library.so ]]; then
    echo "preload: $library: skipped: not installed where upwash was built"
    continue
  fi
  launcher=$([[ $library == openmpi ]] && echo mpirun.openmpi || echo mpiexec.mpich)
  if ! command -v "mpicc.$library" "$launcher" >/dev/null; then
    echo "preload: $library: skipped: no mpicc.$library and $launcher"
    continue
  fi
  libraries+=("$library")
  for source in "$sources"/*.c; do
    # To the compiler MPI_STATUSES_IGNORE and MPI_UNWEIGHTED are short arrays.
    "mpicc.$library" -O1 -Wall -Wextra -Werror -Wno-stringop-overflow -Wno-stringop-overread \
      "$source" -o "$work/$(basename "$source" .c).$library"
  done
  if ! command -v gfortran "mpif90.$library" >/dev/null; then
    echo "preload: $library: Fortran: skipped: no gfortran and mpif90.$library"
    continue
  fi
  for source in "$sources"/*.f90; do
    # Buffers of one function are of several types.
    "mpif90.$library" -O1 -w -fallow-argument-mismatch -cpp \
      -DALLREDUCE_INIT="MPI$([[ $library == openmpi ]] && echo X)_Allreduce_init" "$source" -J "$work" \
      -o "$work/$(basename "$source" .f90).$library"
  done
done
((${#libraries[@]} > 0)) || exit 77

for library in "${libraries[@]}"; do
  source "$(dirname "${BASH_SOURCE[0]}")/lib/preload_corners.sh"
  knobs=()
  case_now="a message that nobody has received, while a collective waits"
  start 2 "$work/pending_message.$library"
  passes

  program=$work/random_collectives.$library
  for ranks in 2 3 5; do
    # Processes of MPICH wait for each other without giving their processor away.
    calls=$([[ $library == mpich && $ranks -gt 2 ]] && echo 60 || echo 300)
    knobs=(--knob "report=$work/report.json")
    seed=$((RANDOM + 1))
    case_now="random calls: $ranks ranks, seed $seed, $calls calls"
    start "$ranks" "$program" "$seed" "$calls"
    passes
    (($(taken 'MPI_.*') > ranks * calls / 8)) || fail "$library: $case_now: hardly a call was taken over"

    case_now="random nonblocking calls: $ranks ranks, seed $seed, $calls calls"
    start "$ranks" "$program" "$seed" "$calls" 16384 1 70 1
    passes
    (($(taken 'MPI_I.*') > ranks * calls / 16)) || fail "$library: $case_now: hardly a call was taken over"
  done

  # Others then wait for a rank whose own part is over, and which waits in the library.
  case_now="random nonblocking calls that go by messages first"
  for nodes in 0 2; do
    knobs=(--knob fake_nodes=$nodes)
    start "$([[ $library == mpich ]] && echo 3 || echo 5)" "$program" 5413 "$calls" 16384 1 70 1
    passes
  done

  case_now="requests of upwash's among the library's: seed $seed"
  knobs=(--knob mpi=all --knob "report=$work/report.json")
  start 3 "$work/mixed_requests.$library" "$seed" 200
  passes
  (($(taken 'MPI_(Irecv|Recv_init|Iallreduce)') > 600)) || fail "$library: $case_now: hardly a call was taken over"
  knobs=(--knob "report=$work/report.json")

  for ranks in 2 3 5 7; do
    rounds=$([[ $library == mpich && $ranks -gt 2 ]] && echo 60 || echo 100)
    case_now="random persistent calls: $ranks ranks, seed $seed, $rounds rounds"
    start "$ranks" "$work/random_persistent.$library" "$seed" "$rounds" 16384 1
    passes
    (($(taken 'MPIX?_.*_init') > ranks * rounds / 8 && $(taken 'MPI_Start(all)?') > ranks * rounds / 4)) ||
      fail "$library: $case_now: hardly a call was taken over"
  done
  case_now="large persistent calls: seed $seed"
  start 3 "$work/random_persistent.$library" "$seed" 20 2097152 1
  passes

  for ranks in 2 4; do
    case_now="what persistent calls outlive: $ranks ranks"
    start "$ranks" "$work/persistent_ends.$library"
    passes
    [[ $(taken 'MPIX?_Allreduce_init') == $((62 * ranks)) ]] || fail "$library: $case_now: others were taken over"
    [[ $(taken 'MPIX?_Bcast_init') == $((149 * ranks)) ]] || fail "$library: $case_now: not 128 of one communicator"
    [[ $(taken 'MPI_Start') == $((166 * ranks)) && $(taken 'MPI_Startall') == $((13 * ranks)) ]] ||
      fail "$library: $case_now: others were started"
  done

  for ranks in 1 2 3 4; do
    topologies=$([[ $library == mpich && $ranks -gt 2 ]] && echo 8 || echo 25)
    case_now="random neighbours: $ranks ranks, seed $seed, $topologies topologies"
    start "$ranks" "$work/random_neighbors.$library" "$seed" "$topologies" "$((ranks == 1))"
    passes
    ((ranks == 1 || $(taken 'MPIX?_I?[Nn]eighbor_.*') > ranks * topologies)) ||
      fail "$library: $case_now: hardly a call was taken over"
    [[ $ranks == 1 || $(taken 'MPI_Ineighbor_.*') -gt 0 ]] || fail "$library: $case_now: none nonblocking"
    [[ $ranks == 1 || $(taken 'MPIX?_Neighbor_.*_init') -gt 0 ]] || fail "$library: $case_now: none persistent"
  done

  # Ranks of MPICH, where it cannot happen, wait for each other without giving their processor away.
  case_now="graphs beside nonblocking collectives of the library"
  knobs=()
  start "$([[ $library == openmpi ]] && echo 4 || echo 2)" "$work/graph_tags.$library" 10
  passes

  case_now="communicators that come and go"
  for ranks in 2 4; do
    for what in collectives all; do
      knobs=(--knob "mpi=$what" --knob "report=$work/report.json")
      start "$ranks" "$work/communicator_ends.$library" $([[ $what == collectives ]] || echo behind)
      passes
      [[ $(taken MPI_Allreduce) -gt 500 ]] || fail "$library: $case_now: hardly a call was taken over"
    done
  done

  for ranks in 2 4; do
    case_now="random communicators: $ranks ranks, seed $seed"
    knobs=(--knob mpi=all --knob "report=$work/report.json")
    start "$ranks" "$work/random_communicators.$library" "$seed" 300
    passes
    (($(taken 'MPI_Iallreduce') > 20 * ranks && $(taken 'MPI_Isend') > 5 * ranks)) ||
      fail "$library: $case_now: hardly a call was taken over"
  done

  for ranks in 2 3 5; do
    rounds=$([[ $ranks == 5 ]] && echo 40 || echo 100)
    knobs=(--knob mpi=all --knob "report=$work/report.json")
    case_now="random messages: $ranks ranks, seed $seed, $rounds rounds"
    start "$ranks" "$work/random_messages.$library" "$seed" "$rounds" 100000
    passes
    (($(taken 'MPI_([BSRI]?[bsr]?[Ss]end|[IM]?m?[Rr]ecv|[IM]?m?[Pp]robe)') > ranks * rounds)) || fail "$library: $case_now: hardly a call was taken over"
    case_now="corners of messages: $ranks ranks"
    start "$ranks" "$work/message_corners.$library"
    passes
  done
  case_now="random messages between nodes: seed $seed"
  UPWASH_FAKE_NODES=2 start 4 "$work/random_messages.$library" "$seed" 30 100000
  passes
  # A send here would never meet a receive there.
  case_now="messages but for one of their functions: seed $seed"
  knobs+=(--knob mpi_except=MPI_Iprobe)
  start 3 "$work/random_messages.$library" "$seed" 20 100000 0
  passes
  [[ $(taken 'MPI_(Recv|Irecv|Send|Isend)') == 0 ]] || fail "$library: $case_now: some were taken over"
  [[ $(grep -cx 'upwash: the MPI library has all messages: MPI_Iprobe is not taken over (UPWASH_MPI_ONLY, UPWASH_MPI_EXCEPT), and messages are taken over all or none' \
    "$work/err") == 1 ]] || fail "$library: $case_now: not said once"
  case_now="functions that MPI calls back"
  knobs=(--knob mpi=all --knob "report=$work/report.json")
  start 2 "$work/called_back.$library"
  passes
  case_now="functions that MPI calls back, of a program of several threads"
  knobs+=(--knob mpi_threads=1)
  start 2 "$work/called_back.$library" multiple
  passes
  [[ $(taken 'MPI_Irecv') == 32 ]] || fail "$library: $case_now: other receives were taken over"
  case_now="messages alone"
  knobs=(--knob mpi=messages --knob "report=$work/report.json")
  start 3 "$work/random_messages.$library" "$seed" 20 100000
  passes
  [[ $(taken 'MPI_(Recv|Irecv|Send|Isend)') -gt 0 && $(taken 'MPI_(Barrier|Bcast|Allreduce)') == 0 ]] ||
    fail "$library: $case_now: others were taken over"
  for wildcard in source tag; do
    case_now="a broken promise: no wildcard of the $wildcard"
    start 2 "$work/broken_promise.$library" "$wildcard"
    [[ $status != 0 ]] || fail "$library: $case_now: it went on"
    shows -E "MPI_Recv: .*no_any_$wildcard is promised on this team" <"$work/err" || fail "$library: $case_now: not said"
  done
  knobs=(--knob "report=$work/report.json")

  case_now="operators of the program's own"
  for ranks in 2 5; do
    start "$ranks" "$work/own_operators.$library"
    passes
    left '{}'
    (($(taken 'MPI_(Allreduce|Reduce|Scan|Exscan|Reduce_scatter|Reduce_scatter_block)') == ranks * 115)) ||
      fail "$library: $case_now: $(taken 'MPI_.*') were taken over"
  done
  UPWASH_FAKE_NODES=2 start 4 "$work/own_operators.$library" 1
  passes

  case_now="what is left to the library"
  start 3 "$work/left_to_mpi.$library"
  passes
  left '{"MPI_Allreduce": {"type or operator": 3, "a communicator of one": 3, "ranks of several jobs": 3},
         "MPI_Iallreduce": {"type or operator": 3}, "MPI_Alltoall": {"a communicator of one": 3},
         "MPI_Bcast": {"ranks of several jobs": 3}, "MPI_Barrier": {"ranks of several jobs": 3}}'

  case_now="a program of several threads"
  start 3 "$work/left_to_mpi.$library" multiple
  passes
  left '{"MPI_Allreduce": {"outside the job": 3}}'
  shows 'the MPI library has all calls: MPI_THREAD_MULTIPLE' <"$work/err" || fail "$library: $case_now: not said"

  case_now="a job that cannot be made"
  knobs=(--knob fake_nodes=9)
  start 3 "$work/left_to_mpi.$library"
  passes
  shows 'the MPI library has all calls: fake_nodes=9: expected 0 to' <"$work/err" || fail "$library: $case_now: not said"

  for ranks in 2 3; do
    case_now="random threads: $ranks ranks, seed $seed"
    knobs=(--knob mpi=all --knob mpi_threads=1 --knob "report=$work/report.json")
    start "$ranks" "$work/random_threads.$library" "$seed" 60
    passes
    for kind in '(Barrier|Bcast|Allreduce|Alltoall|Allgather)' Sendrecv Iallreduce 'I(recv|send|ssend)' '(Send|Recv)_init' Startall; do
      (($(taken "MPI_$kind") > 10 * ranks)) || fail "$library: $case_now: hardly a call of MPI_$kind was taken over"
    done
  done
  # Threads of MPICH wait for each other without giving their processor away.
  for ranks in 2 $([[ $library == mpich ]] || echo 3); do
    case_now="threads that free communicators: $ranks ranks, seed $seed"
    start "$ranks" "$work/freed_by_threads.$library" "$seed" 6
    passes
    (($(taken 'MPI_Allreduce') > 30 * ranks)) || fail "$library: $case_now: hardly a call of MPI_Allreduce was taken over"
  done
  case_now="random threads between nodes: seed $seed"
  UPWASH_FAKE_NODES=2 start 4 "$work/random_threads.$library" "$seed" 20
  passes
  [[ $(taken 'MPI_(Sendrecv|Iallreduce)') == 0 ]] || fail "$library: $case_now: messages or nonblocking ones were taken over"
  [[ $(grep -cx 'upwash: the MPI library has all messages: with MPI_THREAD_MULTIPLE and several nodes upwash takes over blocking collectives alone' \
    "$work/err") == 1 ]] || fail "$library: $case_now: not said once"
  knobs=(--knob mpi_sample=3 --knob mpi_threads=1 --knob "report=$work/report.json")
  case_now="random threads, every third call by the library: seed $seed"
  start 2 "$work/random_threads.$library" "$seed" 60
  passes
  grep -q '"sampled"' "$work/report.json" || fail "$library: $case_now: none"
  knobs=(--knob "report=$work/report.json")

  if [[ -e $work/fortran_calls.$library ]]; then
    case_now="Fortran"
    for ranks in 2 3; do
      start "$ranks" "$work/fortran_calls.$library"
      passes
      # A half of one rank is left to the library.
      [[ $(taken 'MPIX?_.*') == $((ranks == 2 ? 34 : 53)) ]] || fail "$library: $case_now: $(taken 'MPI_.*') calls were taken over"
      [[ $(taken 'MPIX?_Allreduce_init') == $((2 * ranks)) ]] || fail "$library: $case_now: none persistent"
      start "$ranks" "$work/fortran_08.$library"
      passes
      [[ $(taken 'MPI_.*') == $((2 * ranks)) ]] || fail "$library: $case_now: $(taken 'MPI_.*') calls were taken over"
      knobs=(--knob mpi=all --knob "report=$work/report.json")
      start "$ranks" "$work/fortran_08_messages.$library"
      passes
      # Of six communicators; a half of one rank is left to the library.
      [[ $(taken 'MPI_Issend') == $((ranks == 2 ? 40 : 68)) && $(taken 'MPI_Neighbor_allgather') == "$ranks" ]] ||
        fail "$library: $case_now: $(taken 'MPI_Issend') messages were taken over"
      start "$ranks" "$work/fortran_messages.$library"
      passes
      (($(taken 'MPI_I?s?([Ss]end|[Rr]ecv)|MPI_Mrecv|MPI_Sendrecv.*') == 10 * ranks)) ||
        fail "$library: $case_now: $(taken 'MPI_I?s?([Ss]end|[Rr]ecv)|MPI_Mrecv|MPI_Sendrecv.*') messages were taken over"
      knobs=(--knob "report=$work/report.json")
    done
  fi

  if [[ $library == mpich ]]; then
    for ranks in 2 3; do
      case_now="random calls of large counts: $ranks ranks, seed $seed"
      start "$ranks" "$work/large_counts.$library" "$seed" 4
      passes
      (($(taken 'MPI_.*_c') == ranks * 4 * 20)) || fail "$library: $case_now: $(taken 'MPI_.*_c') calls were taken over"
    done
    # Above 2^31 bytes the buffers of the ranks take 7 GB, which not every machine has.
    bytes=$([[ -n ${UPWASH_TEST_LONG:-} ]] && echo 2300000000 || echo 70000001)
    case_now="large counts: $bytes bytes"
    start 2 "$work/large_counts.$library" above "$bytes"
    passes
    [[ $(taken 'MPI_.*_c') == 4 ]] || fail "$library: $case_now: $(taken 'MPI_.*_c') calls were taken over"
  fi

  case_now="a program that opens its MPI"
  "mpicc.$library" -shared -fPIC -O1 -Wall -Wextra -Werror "$sources/opened/module.c" -o "$work/module.$library.so"
  cc -O1 -Wall -Wextra -Werror "$sources/opened/opener.c" -o "$work/opener" -ldl
  more=(--opened)
  start 3 "$work/opener" "$work/module.$library.so"
  passes
  [[ $(taken 'MPI_.*') == 6 ]] || fail "$library: $case_now: $(taken 'MPI_.*') calls were taken over"
  more=()
  start 3 "$work/opener" "$work/module.$library.so"
  [[ $status != 0 ]] || fail "$library: $case_now: it ran without --opened"
  shows 'start it by upwash mpi --opened' <"$work/err" || fail "$library: $case_now: another message"

  case_now="mpi4py"
  # Of one MPI: the one that it was built for. It may be there for the system's Python alone.
  python=python3
  "$python" -c 'import mpi4py' 2>"$work/err" || python=/usr/bin/python3
  of=$("$python" -c 'from mpi4py import MPI; print(MPI.Get_library_version().strip(chr(0)))' 2>"$work/err" || echo none)
  if [[ $library == openmpi && $of != *"Open MPI"* || $library == mpich && $of != *MPICH* ]]; then
    echo "preload: $library: mpi4py: skipped: none of this MPI"
  else
    more=(--opened)
    knobs=(--knob mpi=all --knob mpi_threads=1 --knob "report=$work/report.json")  # it asks for MPI_THREAD_MULTIPLE
    start 3 "$python" "$sources/opened/calls.py"
    passes
    for kind in 'I?(all|All).*' '(Is|S)end' '(Irecv|Recv|Mrecv)' 'Startall'; do
      (($(taken "MPI_$kind") >= 6)) || fail "$library: $case_now: hardly a call of MPI_$kind was taken over"
    done
    more=()
    knobs=(--knob "report=$work/report.json")
  fi

  case_now="LAMMPS"
  lmp=$(command -v lmp || true)
  if [[ -z $lmp ]] || ! ldd "$lmp" | shows "$([[ $library == openmpi ]] && echo libmpi.so || echo libmpich)"; then
    echo "preload: $library: LAMMPS: skipped: no lmp of this MPI"
  else
    cat >"$work/in.melt" <<'LAMMPS'
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 6 0 6 0 6
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neigh_modify every 20 delay 0 check no
fix 1 all nve
thermo 5
run 40
LAMMPS
    for what in off all; do
      knobs=(--knob "mpi=$what" --knob "report=$work/report.json")
      start 3 env OMP_NUM_THREADS=1 "$lmp" -in "$work/in.melt" -log none
      passes
      grep -E '^ +[0-9]+ +[-0-9.]+ ' "$work/out" >"$work/melt.$what"
    done
    [[ $(wc -l <"$work/melt.all") == 9 ]] || fail "$library: $case_now: not nine lines of results"
    cmp -s "$work/melt.off" "$work/melt.all" || fail "$library: $case_now: other results than by the MPI alone"
    (($(taken 'MPI_(Send|Irecv)') > 100)) || fail "$library: $case_now: hardly a message was taken over"
    knobs=(--knob "report=$work/report.json")
  fi

  case_now="large messages"
  start 3 "$program" 7 30 1048576
  passes

  case_now="a conduit over MPI between nodes"
  knobs=(--knob "report=$work/report.json")
  UPWASH_FAKE_NODES=2 start 4 "$program" 11 60
  passes
  (($(taken 'MPI_.*') > 30)) || fail "$library: hardly a call was taken over"

  case_now="nothing taken over"
  knobs=(--knob mpi=off --knob "report=$work/report.json")
  start 2 "$program" 3 40 65536 0
  passes
  [[ $(taken 'MPI_.*') == 0 ]] || fail "$library: calls were taken over, though mpi=off"

  case_now="one function alone"
  knobs=(--knob mpi_only=MPI_Bcast --knob "report=$work/report.json")
  start 2 "$program" 5 200 65536 0
  passes
  [[ $(taken 'MPI_Bcast') -gt 0 && $(taken 'MPI_(?!Bcast$).*') == 0 ]] || fail "$library: $case_now"

  case_now="all but one function"
  knobs=(--knob mpi_except=MPI_Bcast --knob "report=$work/report.json")
  start 2 "$program" 5 200
  passes
  [[ $(taken 'MPI_Bcast') == 0 && $(taken 'MPI_(?!Bcast$).*') -gt 0 ]] || fail "$library: $case_now"

  case_now="every third call by the library"
  knobs=(--knob mpi_sample=3 --knob "report=$work/report.json")
  start 3 "$program" 5 200 65536 0
  passes
  grep -q '"sampled"' "$work/report.json" || fail "$library: $case_now: none"

  case_now="a report as text"
  knobs=(--knob report=1)
  start 2 "$program" 3 40
  passes
  shows '^MPI_Finalize .* 2 passed through' <"$work/err" || fail "$library: $case_now"

  case_now="no such function"
  knobs=(--knob mpi_only=MPI_Bcats)
  start 2 "$program" 3 40
  [[ $status != 0 ]] || fail "$library: $case_now: it went on"
  shows 'UPWASH_MPI_ONLY=MPI_Bcats: no such function of MPI, did you mean MPI_Bcast?' <"$work/err" ||
    fail "$library: $case_now: another message"

  case_now="no such part of MPI"
  knobs=(--knob mpi=collectives,windows)
  start 2 "$program" 3 40
  [[ $status != 0 ]] || fail "$library: $case_now: it went on"
  shows 'UPWASH_MPI=collectives,windows: expected off, all, or some of collectives, neighborhoods, messages with commas between' <"$work/err" ||
    fail "$library: $case_now: another message"

  case_now="processes without MPI"
  knobs=()
  start 2 bash -c 'echo "no MPI here"'
  passes
  [[ $(grep -c '^no MPI here$' "$work/out") == 2 ]] || fail "$library: $case_now"
done

if ((${#libraries[@]} == 2)); then
  case_now="the other MPI's program"
  for library in openmpi mpich; do
    other=$([[ $library == openmpi ]] && echo mpich || echo openmpi)
    knobs=()
    start 2 "$work/random_collectives.$other" 1 1
    [[ $status != 0 ]] || fail "$case_now: it ran under $library"
    shows 'is linked with another MPI; start it by the launcher of its own' <"$work/err" ||
      fail "$case_now: another message"
  done
  refused "mpi: --mpi mpich, but mpirun.openmpi is of openmpi; leave --mpi away, or take the launcher of mpich" \
    "$upwash" mpi --mpi mpich -- mpirun.openmpi true
fi
refused "mpi: cannot tell which MPI true starts programs of; say --mpi openmpi or --mpi mpich" \
  "$upwash" mpi true
refused "mpi: cannot tell which MPI /dev/zero starts programs of; say --mpi openmpi or --mpi mpich" \
  timeout 30 "$upwash" mpi /dev/zero
refused "mpi: no command to start (upwash mpi -- mpirun -n N program ...)" "$upwash" mpi
refused "mpi: --mpi lam: expected openmpi or mpich" "$upwash" mpi --mpi lam -- true
