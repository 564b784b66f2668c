#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The sparse-matrix program on real matrices and on bad ones.
set -euo pipefail
program=spmm
source "$(dirname "${BASH_SOURCE[0]}")/lib/program.sh"
data=$root/data/matrices
lines=(matrix: product: time:)

verified 4 shm "$data/bcsstk13.mtx" --columns 64 --check
verified 4 shm "$data/cage7.mtx" --sparse --check
verified 3 shm "$data/west0479.mtx" --sparse --repeats 2 --check
verified 2 shm "$data/3elt.mtx" --columns 8 --check
verified 1 shm "$data/ash292.mtx" --check
verified 7 shm "$data/dwt_193.mtx" --sparse --check
verified 13 sim "$data/mbeacxc.mtx" --sparse --repeats 1 --check
verified 300 sim "$data/ash292.mtx" --columns 2 --repeats 1 --check

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
