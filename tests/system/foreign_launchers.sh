#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Jobs that the mpirun of Open MPI or of MPICH starts: straight, behind a shell, two at once, and
# one that fails. A launcher that is not installed is named and passed over.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
bin=$UPWASH_TEST_BIN
out=$work
export UPWASH_CONFIG= UPWASH_START_TIMEOUT=10s
expected="rank 0 of 4: sum 6
rank 1 of 4: sum 6
rank 2 of 4: sum 6
rank 3 of 4: sum 6"
evidence=("$out")

# adds_up NAME COMMAND...: the four ranks find each other.
adds_up() {
  local name=$1
  shift
  # Two of Open MPI's launchers at once may fail to make one session folder.
  mkdir -p "$out/$name.tmp"
  TMPDIR="$out/$name.tmp" timeout 60 "$@" >"$out/$name.all" 2>&1 </dev/null || fail "$name: '$*' ended with status $?"
  [[ $(grep '^rank' "$out/$name.all" | sort) == "$expected" ]] || fail "$name: '$*'"
}

# by LAUNCHER...: the jobs of one launcher; -n 4 is appended.
by() {
  local status=0
  adds_up straight "$@" -n 4 "$bin/attached"
  adds_up shell "$@" -n 4 sh -c "'$bin/attached'; true"
  # Two at once, each in shells of its own.
  adds_up first "$@" -n 4 sh -c "sh -c '\"$bin/attached\"; true'; true" &
  adds_up second "$@" -n 4 sh -c "sh -c '\"$bin/attached\"; true'; true"
  wait $! || fail "the first of two jobs at once"
  timeout 60 "$@" -n 4 "$bin/throwing" body >"$out/throwing" 2>&1 </dev/null || status=$?
  [[ $status != 0 ]] || fail "a rank that throws: status 0"
  [[ $(grep -c '^upwash: ' "$out/throwing") == 1 ]] || fail "a rank that throws: not one line"
  grep -q '^upwash: rank 3: the program threw: out of luck; job ended$' "$out/throwing" ||
    fail "a rank that throws: another line"
  echo "foreign_launchers: $1 works"
}

# The mpirun that has no name of its own may be either.
found() {
  local flavour=$1 candidate
  shift
  for candidate; do
    command -v "$candidate" >/dev/null || continue
    "$candidate" --version 2>/dev/null | shows -i "$flavour" || continue
    echo "$candidate"
    return
  done
}

openmpi=$(found 'open.\?mpi' mpirun.openmpi mpirun)
if [[ -n $openmpi ]]; then
  by "$openmpi" --allow-run-as-root --oversubscribe
else
  echo "foreign_launchers: no mpirun of Open MPI found, not tried (Debian: openmpi-bin)"
fi
mpich=$(found hydra mpirun.mpich mpiexec.hydra mpirun)
if [[ -n $mpich ]]; then
  by "$mpich"
else
  echo "foreign_launchers: no mpirun of MPICH found, not tried (Debian: mpich)"
fi
echo "foreign_launchers: ok"
