#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# scripts/suites: what passes, what fails and why, what needs MPI, what is skipped; that the calls of
# MPI that it answers for programs under `upwash run` do what they say.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../system/lib/checks.sh"
root=$(cd "$here/../../.." && pwd)
evidence=("$work/said")

status=0
"$root/scripts/suites" "$work/none" >"$work/said" 2>&1 || status=$?
[[ $status == 77 ]] || fail "without programs: status $status"
grep -qF "suites: SKIPPED: no $work/none/armci-mpi" "$work/said" || fail "without programs"

# ARMCI-MPI 0.3.1 over MPICH 4.0 loses puts in windows that MPI allocates.
export ARMCI_USE_WIN_ALLOCATE=0
compilers=()
for mpi in openmpi mpich; do
  if command -v "mpicc.$mpi" "mpirun.$mpi" >/dev/null &&
    [[ -n $("mpicc.$mpi" -print-file-name="libarmci-$mpi.a" | grep /) ]]; then
    compilers+=("$mpi")
  fi
done
if ((${#compilers[@]} == 0)); then
  echo "suites: no ARMCI-MPI found, not tried (Debian: libarmci-mpi-dev with libopenmpi-dev or libmpich-dev)"
  exit 77
fi

# said REGEX: a line of the table.
said() { grep -qE "$1" "$work/said" || fail "no line '$1'"; }

for mpi in "${compilers[@]}"; do
  folder=$work/$mpi
  mkdir -p "$folder/armci-mpi" "$folder/upwash"
  for name in good reduces fails complains hangs; do
    "mpicc.$mpi" "$here/mpi/pair.c" "-larmci-$mpi" -o "$folder/armci-mpi/$name"
    "mpicc.$mpi" -DBROKEN "$here/mpi/pair.c" -I"$root/interop/armci/include" \
      -L"$UPWASH_TEST_BUILD/lib" -larmci -o "$folder/upwash/$name"
    echo "$name 2 $name"
  done >"$folder/programs"
  cp "$folder/upwash/good" "$folder/upwash/lonely"
  echo "left 0 needs a file" >>"$folder/programs"
  cp "$folder/upwash/good" "$folder/upwash/left"
  status=0
  "$root/scripts/suites" "$folder" --build "$UPWASH_TEST_BUILD" --timeout 10 >"$work/said" 2>&1 ||
    status=$?
  [[ $status == 1 ]] || fail "$mpi: status $status"
  said '^good +[0-9.]+ s +[0-9.]+ s +[0-9.]+ s *$'
  said '^reduces +[0-9.]+ s +[0-9.]+ s +needs MPI_Allreduce$'
  said '^fails +[0-9.]+ s +status 3 +status 3  FAILS: status 3; status 3$'
  said '^complains .*FAILS: names 2 things wrong, ARMCI-MPI.s 0;'
  said '^hangs .*FAILS: does not end in 1[0-9] s;'
  said '^lonely +SKIPPED +linked with one library only'
  said '^left +SKIPPED +needs a file'
  said '^suites: 2 passed, 3 failed, 2 SKIPPED$'
done
echo "suites: ok"
