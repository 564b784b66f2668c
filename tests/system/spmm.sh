#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The sparse-matrix program on real matrices and on bad ones.
set -euo pipefail
program=spmm
source "$(dirname "${BASH_SOURCE[0]}")/lib/program.sh"
data=$root/data/matrices
lines=(matrix: product: exchange: steps: time:)

verified 4 shm "$data/bcsstk13.mtx" --columns 64 --check
verified 4 shm "$data/cage7.mtx" --sparse --check
verified 3 shm "$data/west0479.mtx" --sparse --repeats 2 --check
verified 2 shm "$data/3elt.mtx" --columns 8 --check
verified 1 shm "$data/ash292.mtx" --check
verified 7 shm "$data/dwt_193.mtx" --sparse --check
verified 13 sim "$data/mbeacxc.mtx" --sparse --repeats 1 --check
verified 300 sim "$data/ash292.mtx" --columns 2 --repeats 1 --check

# Each exchange, whole blocks and column by column; ranks without rows, and with nothing in common.
for exchange in direct best node_forward node_pairs halving halving:ranks=0; do
  verified 5 shm "$data/dwt_193.mtx" --sparse --repeats 1 --check --exchange $exchange
  verified 4 shm "$data/ash292.mtx" --columns 3 --by-column --repeats 1 --check --exchange $exchange
  verified 48 "sim --machine lemieux" "$data/west0479.mtx" --sparse --repeats 1 --check \
    --exchange $exchange
  grep -q "^exchange: by $exchange, " <<<"$seen" || fail "not by $exchange: $seen"
done
verified 300 sim "$data/ash292.mtx" --columns 2 --repeats 1 --check --exchange halving:ranks=0
verified 1 shm "$data/ash292.mtx" --check --exchange direct
verified 2 shm "$data/3elt.mtx" --columns 8 --by-column --check
[[ $seen == *"steps: 8, "* ]] || fail "not a step a column: $seen"

lines=(matrix: product: exchanges: time: exchange all_gather direct best node_pairs halving:ranks=0)
for form in --sparse "--columns 4 --by-column"; do
  for on in shm sim; do
    verified 6 $on "$data/dwt_193.mtx" $form --compare --exchange node_pairs --exchange best \
      --exchange halving:ranks=0 --repeats 3 --check
    [[ $(grep -cE '^[a-z_]+[^ ]* +([0-9.]+ +){3}[0-9.]+$' <<<"$seen") == 5 ]] ||
      fail "not five exchanges: $seen"
  done
done

write() { printf '%%%%MatrixMarket matrix coordinate real general\n%b' "$1" >"$work/bad.mtx"; }

refuses "spmm: matrix is required (see spmm --help)"
refuses "spmm: --columns excludes --sparse (see spmm --help)" "$data/cage7.mtx" --sparse --columns 3
refuses "spmm: $work/none.mtx: cannot be read; expected a Matrix Market file" "$work/none.mtx"
refuses "spmm: --by-column excludes --sparse (see spmm --help)" "$data/cage7.mtx" --sparse --by-column
refuses "spmm: --exchange is given 2 times; several are run by --compare only" "$data/cage7.mtx" \
  --exchange direct --exchange best
for form in --sparse "--columns 2"; do
  status=0
  said=$("$upwash" run -n 3 "$binary" "$data/cage7.mtx" $form --exchange rumour 2>&1) || status=$?
  [[ $status == 2 && $said == 'spmm: scheme: "rumour" is not one of direct, '* ]] ||
    fail "an unknown scheme ended with $status: $said"
done
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
