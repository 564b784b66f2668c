#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Jobs that Slurm starts on hosts of their own, with another number of ranks on each: by srun with PMIx
# and PMI-2, and by upwash run in an allocation; jobs that fail, and launchers that do not fit.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
source "$(dirname "${BASH_SOURCE[0]}")/lib/hosts.sh"
source "$(dirname "${BASH_SOURCE[0]}")/lib/slurm.sh"
need_slurm
make_hosts 3
make_slurm 8
bin=$UPWASH_TEST_BIN
plugins=$UPWASH_TEST_BUILD/lib/upwash
export UPWASH_CONFIG=
evidence=("$work/out" "$work/err")
sums='rank 0 of 6: sum 15
rank 1 of 6: sum 15
rank 2 of 6: sum 15
rank 3 of 6: sum 15
rank 4 of 6: sum 15
rank 5 of 6: sum 15'

has_plugin() {
  [[ -e $plugins/libupwash_$1.so ]] && return
  echo "slurm: no plugin for $1: its jobs are passed over"
  return 1
}

# died_in_mpi_init: whether a process has died in Open MPI's MPI_Init, as some do on a busy machine under srun,
# without upwash too: a message comes from a process that has left MPI_Init before this one can take any
died_in_mpi_init() {
  grep -q 'task [0-9]*: Segmentation fault' "$work/err" && grep -q 'the knob start_timeout has passed' "$work/err"
}

# on_a VARIABLE... -- COMMAND...: on host a, to its end; sets status
on_a() {
  local variables=(UPWASH_START_TIMEOUT=20s) turn
  while [[ $1 != -- ]]; do
    variables+=("$1")
    shift
  done
  shift
  for turn in 1 2 3; do
    status=0
    on_host a env "${variables[@]}" timeout 90 "$@" >"$work/out" 2>"$work/err" || status=$?
    died_in_mpi_init || return 0
    echo "slurm: $case_now: a process died in MPI_Init, turn $turn"
  done
}

# adds_up: the six ranks have found each other
adds_up() {
  [[ $status == 0 && $(sort "$work/out") == "$sums" ]] || fail "$case_now: status $status"
}

# says PATTERN: the job has failed, with a line like this
says() {
  [[ $status != 0 && $status != 124 ]] || fail "$case_now: status $status"
  grep -qE "$1" "$work/err" || fail "$case_now: expected a line like '$1'"
}

printf '%s\n' a a a b c c >"$work/layout"  # three ranks on a, one on b, two on c
unequal=(--distribution=arbitrary -n 6 -N 3)
try_all_ways() {
  for how in block cyclic; do
    case_now="srun --mpi=$2, conduit $1, $how"
    on_a "UPWASH_CONDUIT=$1" -- srun "--mpi=$2" -N 3 -n 6 -m "$how" "$bin/attached"
    adds_up
  done
  case_now="srun --mpi=$2, conduit $1, unequal nodes"
  on_a "UPWASH_CONDUIT=$1" "SLURM_HOSTFILE=$work/layout" -- srun "--mpi=$2" "${unequal[@]}" "$bin/attached"
  adds_up
  case_now="srun --mpi=$2, conduit $1, two ranks a process"
  on_a "UPWASH_CONDUIT=$1" UPWASH_RANKS_PER_PROCESS=2 -- srun "--mpi=$2" -N 3 -n 3 \
    "$bin/job_tests" --rank-body=memory.puts_reach_every_rank
  [[ $status == 0 ]] || fail "$case_now: status $status"
  case_now="srun --mpi=$2, conduit $1: a rank that throws"
  on_a "UPWASH_CONDUIT=$1" -- srun "--mpi=$2" -N 3 -n 4 "$bin/throwing" body
  says '^upwash: rank 3: the program threw: out of luck; job ended$'
}

if has_plugin ucx && has_plugin pmix; then
  before=$(bytes_between b)
  try_all_ways ucx pmix
  (($(bytes_between b) > before)) || fail "nothing went over the network"
  try_all_ways shm+ucx pmix
  case_now="conduit ucx without PMIx"
  on_a UPWASH_CONDUIT=ucx -- srun --mpi=pmi2 -N 3 -n 4 "$bin/attached"
  says 'gives them no PMIx to meet by; start them with srun --mpi=pmix,'
  case_now="conduit ucx without the plugin for PMIx"
  on_a UPWASH_CONDUIT=ucx UPWASH_PMIX_PLUGIN=/no/such -- srun --mpi=pmix -N 3 -n 4 "$bin/attached"
  says 'conduit ucx: there is no file /no/such; install libpmix2'
  case_now="a rank that is killed"
  on_host a env UPWASH_CONDUIT=ucx srun --mpi=pmix -N 3 -n 5 "$bin/endless" >"$work/out" 2>"$work/err" &
  job=$!
  for _ in $(seq 1500); do
    [[ $(grep -c '^talking' "$work/out") == 5 ]] && break
    sleep 0.02
  done
  [[ $(grep -c '^talking' "$work/out") == 5 ]] || fail "$case_now: the job does not start"
  on_host b pkill -9 endless
  status=0
  wait "$job" || status=$?
  says '^upwash: .*rank 3.* died'
fi
if has_plugin openmpi; then
  try_all_ways mpi pmix
  try_all_ways shm+mpi pmix
  case_now="Open MPI by the wrong launcher"
  on_a UPWASH_CONDUIT=mpi UPWASH_MPI_LIBRARY=openmpi -- srun --mpi=pmi2 -N 3 -n 4 "$bin/attached"
  says 'Open MPI'
fi
if has_plugin mpich; then
  # Over several nodes MPICH's MPI_Finalize waits for ever under Slurm's PMI-2, without upwash too.
  case_now="srun --mpi=pmi2, conduit mpi, one node"
  on_a UPWASH_CONDUIT=mpi -- srun --mpi=pmi2 -N 1 -n 6 "$bin/attached"
  adds_up
  case_now="MPICH by the wrong launcher"
  on_a UPWASH_CONDUIT=mpi UPWASH_MPI_LIBRARY=mpich -- srun --mpi=pmix -N 3 -n 4 "$bin/attached"
  says 'MPICH'
fi
case_now="shared memory over several nodes"
on_a UPWASH_CONDUIT=shm -- srun --mpi=pmix -N 3 -n 4 "$bin/attached"
says 'srun started 4 processes on 3 nodes: the shm conduit spans one node; use srun -N 1, or'
case_now="one node needs no PMIx"
on_a -- srun --mpi=none -N 1 -n 6 "$bin/attached"
adds_up

case_now="upwash run in an allocation"
on_a -- salloc -Q -N 3 -n 5 "$upwash" run -n 5 --hosts allocation "$bin/meeting" exchange 3
[[ $status == 0 ]] || fail "$case_now: status $status"
grep -q '^process 4 on host c, ranks at nodes: 0@0 1@0 2@0 3@1 4@2$' "$work/out" || fail "$case_now"
case_now="upwash run in an allocation that is too small"
on_a -- salloc -Q -N 2 -n 3 "$upwash" run -n 5 --hosts allocation "$bin/meeting" exchange 3
says '^upwash: -n 5: the 2 hosts have room for 3 ranks'
case_now="upwash run without an allocation"
on_a -- "$upwash" run -n 5 --hosts allocation "$bin/meeting" exchange 3
says '^upwash: --hosts allocation: no job of Slurm is around this'
echo "slurm: all jobs were as wanted"
