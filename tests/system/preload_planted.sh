#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A wrong answer of upwash's is seen: the programs that test the preload library fail where a library
# loaded before it makes its answers wrong by one byte, and pass where nothing is wrong, or where the
# MPI answers. What is not installed is named and passed over.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
sources=$(cd "$(dirname "${BASH_SOURCE[0]}")/../interop/mpi" && pwd)
export UPWASH_CONFIG=
evidence=("$work/out")
tried=0

# run WHAT PLANTED PROGRAM ARGUMENT...: upwash takes over WHAT, and its answers to PLANTED, none or
# functions, are wrong
run() {
  local what=$1 planted=$2 launch
  shift 2
  launch=(mpiexec.mpich -n 2)
  [[ $library == mpich ]] || launch=(mpirun.openmpi --allow-run-as-root --oversubscribe
    --mca btl self,vader --mca oob_tcp_if_include lo -n 2)
  [[ $planted == none ]] || set -- sh -c 'PLANTED=$1 LD_PRELOAD=$2:$LD_PRELOAD; export PLANTED LD_PRELOAD; shift 2; exec "$@"' \
    sh "$planted" "$work/wrong_answers.$library.so" "$@"
  rm -f "$work/report.json"
  status=0
  timeout 60 "$upwash" mpi --knob "mpi=$what" --knob "report=$work/report.json" -- "${launch[@]}" "$@" \
    >"$work/out" 2>&1 </dev/null || status=$?
}

taken() {
  python3 - "$work/report.json" "$1" <<'PYTHON'
import json, sys
print(sum(row["taken"] for row in json.load(open(sys.argv[1]))["calls"] if row["function"] == sys.argv[2]))
PYTHON
}

for library in openmpi mpich; do
  launcher=$([[ $library == openmpi ]] && echo mpirun.openmpi || echo mpiexec.mpich)
  if [[ ! -e $UPWASH_TEST_BUILD/lib/libupwash-mpi-$library.so ]] || ! command -v "mpicc.$library" "$launcher" >/dev/null; then
    echo "preload_planted: $library: skipped: not installed here, or where upwash was built"
    continue
  fi
  tried=1
  compile=("mpicc.$library" -O1 -Wall -Wextra -Werror -Wno-stringop-overflow -Wno-stringop-overread)
  "${compile[@]}" -shared -fPIC "$sources/planted/wrong_answers.c" -o "$work/wrong_answers.$library.so" -ldl
  for program in random_collectives random_messages own_operators; do
    "${compile[@]}" "$sources/$program.c" -o "$work/$program"
  done
  collectives=("$work/random_collectives" 5 100 4096 0)
  messages=("$work/random_messages" 5 10 4096 0)

  sees() {
    local function=$1
    shift
    run all "$function" "$@"
    shows "^planted: an answer of $function's is wrong by one byte" <"$work/out" || fail "$library: $function: none was planted"
    [[ $status == 1 ]] || fail "$library: $function: status $status, though an answer is wrong"
    (($(taken "$function") > 0)) || fail "$library: $function: none was taken over"
  }
  sees MPI_Allreduce "${collectives[@]}"
  sees MPI_Allgather "${collectives[@]}"
  sees MPI_Recv "${messages[@]}"

  run all none "${collectives[@]}"
  [[ $status == 0 ]] || fail "$library: status $status, though nothing is wrong"
  # In checked runs the MPI has calls that are sampled, too, and both answers are compared.
  run all none env UPWASH_CHECKED=1 UPWASH_MPI_SAMPLE=2 "${collectives[@]}"
  [[ $status == 0 ]] || fail "$library: status $status, though both answers are right"
  python3 - "$work/report.json" <<'PYTHON' || fail "$library: no call was had by both"
import json, sys
both = [row for row in json.load(open(sys.argv[1]))["sizes"] if row["ours"] > 0 and row["theirs"] > 0]
sys.exit(0 if len(both) > 10 else 1)
PYTHON
  run all none env UPWASH_CHECKED=1 UPWASH_MPI_SAMPLE=1 "$work/own_operators" 1
  [[ $status == 0 ]] || fail "$library: own operators and equal numbers: status $status, though both answers are right"
  run all none sh -c '[ "${PMI_RANK-${OMPI_COMM_WORLD_RANK-}}" = 0 ] && export UPWASH_CHECKED=1; exec "$@"' sh env UPWASH_MPI_SAMPLE=2 "${collectives[@]}"
  [[ $status == 0 ]] && shows '^upwash: the MPI library has all calls: .*UPWASH_CHECKED. differ between ranks' <"$work/out" ||
    fail "$library: checked at one rank: status $status"
  for function in MPI_Bcast MPI_Alltoall MPI_Scan; do
    run all "$function" env UPWASH_CHECKED=1 UPWASH_MPI_SAMPLE=2 PLANTED_AT=library "${collectives[@]}"
    [[ $status != 0 ]] || fail "$library: $function: another answer of the MPI's is not seen"
    shows "^upwash: rank [01]: $function: byte [0-9]* of [0-9]* that this rank receives.* by the MPI library" <"$work/out" ||
      fail "$library: $function: not told"
  done
  # What the MPI answers is never made wrong.
  run off MPI_Allreduce,MPI_Allgather "${collectives[@]}"
  [[ $status == 0 ]] || fail "$library: answers of the MPI's own: status $status"
  ! shows planted <"$work/out" || fail "$library: answers of the MPI's own: planted"
done
((tried)) || exit 77
