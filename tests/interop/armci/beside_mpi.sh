#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A program with MPI and ARMCI, by the mpirun of each MPI library that is installed. None: skipped.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../system/lib/checks.sh"
evidence=("$work")
root=$(cd "$here/../../.." && pwd)
export UPWASH_START_TIMEOUT=20s

# with COMPILER LAUNCHER...: compiles the program, runs it on 1 to 4 ranks.
with() {
  local compiler=$1 ranks
  shift
  "$compiler" -std=gnu11 -Wall "$here/mpi/beside.c" -I"$root/interop/armci/include" \
    -L"$UPWASH_TEST_BUILD/lib" -Wl,-rpath,"$UPWASH_TEST_BUILD/lib" -larmci -o "$work/beside" ||
    fail "$compiler does not compile it"
  for ranks in 1 2 3 4; do
    timeout 120 "$@" -n "$ranks" "$work/beside" >"$work/out" 2>&1 </dev/null ||
      fail "$1 -n $ranks: status $?"
    grep -aqx "beside: $ranks ranks" "$work/out" || fail "$1 -n $ranks: its line"
  done
  echo "beside_mpi: $1 works"
}

tried=0
if command -v mpicc.openmpi mpirun.openmpi >/dev/null; then
  with mpicc.openmpi mpirun.openmpi --allow-run-as-root --oversubscribe
  tried=1
fi
if command -v mpicc.mpich mpirun.mpich >/dev/null; then
  with mpicc.mpich mpirun.mpich
  tried=1
fi
if [[ $tried == 0 ]]; then
  echo "beside_mpi: no MPI library found, not tried (Debian: libopenmpi-dev, libmpich-dev)"
  exit 77
fi
echo "beside_mpi: ok"
