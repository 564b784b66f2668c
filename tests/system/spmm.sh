#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The sparse-matrix program on real matrices and on bad ones.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
upwash=$UPWASH_TEST_BIN/upwash
spmm=$UPWASH_TEST_BIN/spmm
data=$root/data/matrices
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "spmm: $*" >&2
  exit 1
}

# verified RANKS CONDUIT ARGUMENT...: all lines are there and the product is right.
verified() {
  local ranks=$1 conduit=$2 seen line
  shift 2
  seen=$("$upwash" run -n "$ranks" --conduit "$conduit" "$spmm" "$@" --check) || fail "'$*' ended badly"
  for line in matrix: product: time: messages: bytes: 'verified: yes'; do
    grep -q "^$line" <<<"$seen" || fail "'$*' on $ranks ranks, $conduit: no line '$line' in: $seen"
  done
}

verified 4 shm "$data/bcsstk13.mtx" --columns 64
verified 4 shm "$data/cage7.mtx" --sparse
verified 3 shm "$data/west0479.mtx" --sparse --repeats 2
verified 2 shm "$data/3elt.mtx" --columns 8
verified 1 shm "$data/ash292.mtx"
verified 7 shm "$data/dwt_193.mtx" --sparse
verified 13 sim "$data/mbeacxc.mtx" --sparse --repeats 1
verified 300 sim "$data/ash292.mtx" --columns 2 --repeats 1

# refuses MESSAGE ARGUMENT...: exactly this is said, once, with status 2, alone and in a job.
refuses() {
  local expected=$1 ranks status seen
  shift
  seen=$("$spmm" "$@" 2>&1) && fail "'$*' ended well"
  [[ $seen == "$expected" ]] || fail "'$*' said: $seen"
  for ranks in 1 4; do
    status=0
    seen=$("$upwash" run -n $ranks "$spmm" "$@" 2>&1) || status=$?
    [[ $status == 2 ]] || fail "'$*' on $ranks ranks ended with status $status: $seen"
    [[ $seen == "$expected" ]] || fail "'$*' on $ranks ranks said: $seen"
  done
}

write() { printf '%%%%MatrixMarket matrix coordinate real general\n%b' "$1" >"$work/bad.mtx"; }

refuses "spmm: matrix is required (see spmm --help)"
refuses "spmm: --columns excludes --sparse (see spmm --help)" "$data/cage7.mtx" --sparse --columns 3
refuses "spmm: $work/none.mtx: cannot be read; expected a Matrix Market file" "$work/none.mtx"
write '3 3 2\n1 1 1\n'
refuses "spmm: $work/bad.mtx:3: the file ends after 1 of the 2 entries that line 2 announces" \
  "$work/bad.mtx"
write '3 3 1\n1 4 1\n'
refuses "spmm: $work/bad.mtx:3: column \"4\"; expected a number from 1 to 3" "$work/bad.mtx"
write '3 3 1\n1 1 1\n2 2 1\n'
refuses "spmm: $work/bad.mtx:4: more entries than the 1 that line 2 announces" "$work/bad.mtx"
write '3 4 1\n1 1 1\n'
refuses "spmm: $work/bad.mtx: 3 x 4; --sparse multiplies a matrix with itself: it must be square" \
  "$work/bad.mtx" --sparse
echo "spmm: verified"
