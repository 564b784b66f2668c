#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A preload library that runs with another version of Open MPI than it was built with: persistent
# collectives by their names in versions 4 and 5, and functions of messages that it does not know.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
sources=$(cd "$(dirname "${BASH_SOURCE[0]}")/../interop/mpi/versions" && pwd)
export UPWASH_CONFIG=
evidence=("$work/out" "$work/err")

if [[ ! -e $UPWASH_TEST_BUILD/lib/libupwash-mpi-openmpi.so ]] ||
   ! command -v mpicc.openmpi mpirun.openmpi >/dev/null; then
  echo "preload_versions: skipped: no preload library for Open MPI, or no mpicc.openmpi and mpirun.openmpi"
  exit 77
fi

# start PROGRAM KNOB...
start() {
  local knobs=() program=$1
  shift
  for knob in "$@"; do knobs+=(--knob "$knob"); done
  timeout 300 "$upwash" mpi "${knobs[@]}" --knob "report=$work/report.json" -- mpirun.openmpi --allow-run-as-root \
    --oversubscribe --mca oob_tcp_if_include lo -n 2 "$work/$program" >"$work/out" 2>"$work/err" </dev/null ||
    fail "$program $*: status $?"
}

# taken NAME: calls of this function that upwash took over
taken() {
  python3 - "$work/report.json" "$1" <<'PYTHON'
import json, re, sys
print(sum(row["taken"] for row in json.load(open(sys.argv[1]))["calls"] if re.fullmatch(sys.argv[2], row["function"])))
PYTHON
}

compile=(mpicc.openmpi -O1 -Wall -Wextra -Werror -rdynamic "$sources/other_version.c")
"${compile[@]}" -o "$work/names"
start names mpi=all
[[ $(taken 'MPIX?_Bcast_init') == 2 ]] || fail "the other name was not taken over"
[[ $(taken MPI_Sendrecv) == 2 ]] || fail "messages were not taken over"
start names mpi=neighborhoods
[[ $(taken 'MPIX?_Bcast_init') == 0 ]] || fail "the other name was not passed on"

# Version 4 has no such function, so the preload library has none either.
if "${compile[@]}" -DLATER=PMPI_Isendrecv -o "$work/later" && ! nm -D "$UPWASH_TEST_BUILD/lib/libupwash-mpi-openmpi.so" |
   shows ' T MPI_Isendrecv$'; then
  start later mpi=all
  [[ $(taken MPI_Sendrecv) == 0 && $(taken 'MPIX?_Bcast_init') == 2 ]] || fail "messages were taken over, or collectives were not"
  [[ $(grep -cE '^upwash: the MPI library has all messages: it has MPI_Isendrecv, which this preload library, built with Open MPI [0-9.]+, does not know, and messages are taken over all or none; build upwash with the MPI library that runs$' \
    "$work/err") == 1 ]] || fail "not said once"
fi
