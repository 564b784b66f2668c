#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A program for Global Arrays, with Debian's library and ours, compiled and started as docs/armci.md
# says: by mpirun, and by `upwash run`. Skipped where Global Arrays are not installed.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../system/lib/checks.sh"
evidence=("$work/said")
root=$(cd "$here/../../.." && pwd)

for library in libga-openmpi.a libscalapack-openmpi.so; do
  if ! command -v mpicc.openmpi >/dev/null ||
    [[ $(mpicc.openmpi -print-file-name="$library") != */* ]]; then
    echo "global_arrays: no $library, not tried (Debian: libglobalarrays-dev, libscalapack-openmpi-dev)"
    exit 77
  fi
done

cp "$here/mpi/global_array.c" "$work/program.c"
mkdir -p "$work/build"
ln -s "$UPWASH_TEST_BUILD" "$work/build/release"
sed -n '/^```sh$/,/^```$/p' "$root/docs/armci.md" | sed '/^```/d' >"$work/commands"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl=self,vader
(cd "$work" && timeout 300 bash -e commands) >"$work/said" 2>&1 || fail "status $?"
[[ $(grep -acx "global_array: 4 ranks" "$work/said") == 2 ]] || fail "not both ran"
for ranks in 1 3; do
  LD_PRELOAD=$UPWASH_TEST_BUILD/lib/libarmci_alone.so timeout 120 \
    "$upwash" run -n "$ranks" "$work/program" >"$work/said" 2>&1 || fail "$ranks ranks: status $?"
  grep -aqx "global_array: $ranks ranks" "$work/said" || fail "$ranks ranks: its line"
done
echo "global_arrays: ok"
