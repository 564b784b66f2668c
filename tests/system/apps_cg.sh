#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The conjugate-gradient program on real matrices against its serial solve, and bad input.
set -euo pipefail
program=cg
source "$(dirname "${BASH_SOURCE[0]}")/lib/program.sh"
data=$root/data/matrices
lines=(matrix: time: barriers: all-reduces: iterations: residual:)

# number LINE: the first number of that line of the last run.
number() { sed -n "s/^$1: \([0-9]*\).*/\1/p" <<<"$seen"; }

for ranks in 1 2 4 7; do
  verified $ranks shm "$data/mesh2em5.mtx"
  verified $ranks sim "$data/494_bus.mtx"
  # A product, so a barrier, and two sums an iteration; the vote on the last needs another pair.
  iterations=$(number iterations)
  [[ $(number barriers) == $((iterations + 1)) ]] || fail "not a barrier an iteration: $seen"
  [[ $(number all-reduces) == $((2 * iterations + 2)) ]] || fail "not two sums an iteration: $seen"
done
verified 2 shm "$data/bcsstk13.mtx"
verified 400 sim "$data/mesh2em5.mtx" --tolerance 1e-3  # more ranks than rows

# By neighbours: an exchange a product and no barrier; the residuals are those of the puts.
lines=(matrix: time: exchanges: all-reduces: iterations: residual:)
for exchange in neighborhood all_gather direct node_pairs halving:ranks=0; do
  verified 5 shm "$data/mesh2em5.mtx" --exchange $exchange
  [[ $(number exchanges) == $(($(number iterations) + 1)) ]] || fail "not one an iteration: $seen"
  verified 24 "sim --machine lemieux" "$data/494_bus.mtx" --exchange $exchange
  grep -q '^barriers' <<<"$seen" && fail "$exchange has barriers: $seen"
done
verified 400 sim "$data/mesh2em5.mtx" --tolerance 1e-3 --exchange halving:ranks=0
for on in shm sim; do
  verified 6 $on "$data/494_bus.mtx" --compare --repeats 2 --exchange node_pairs
  [[ $(grep -c '^verified: yes' <<<"$seen") == 2 ]] || fail "not two solves: $seen"
  [[ $(grep -c '^exchanges: [0-9]* by \(puts\|node_pairs\),' <<<"$seen") == 2 ]] || fail "said: $seen"
  [[ $(grep '^residual' <<<"$seen" | uniq | wc -l) == 1 ]] || fail "residuals differ: $seen"
  grep -q '^unknowns: the same in every bit$' <<<"$seen" || fail "unknowns differ: $seen"
done
lines=(matrix: time: barriers: all-reduces: iterations: residual:)

# Ranks whose sums round differently end together too.
export UPWASH_ALGORITHMS='all_reduce=dissemination:k=2;barrier=dissemination'
verified 4 shm "$data/494_bus.mtx" --tolerance 1e-10
verified 16 sim "$data/494_bus.mtx" --tolerance 1e-10
unset UPWASH_ALGORITHMS

status=0
seen=$("$upwash" run -n 3 "$binary" "$data/494_bus.mtx" --iterations 10) || status=$?
[[ $status == 1 ]] || fail "ten iterations ended with status $status"
grep -qx 'verified: no, not converged; see --iterations' <<<"$seen" || fail "ten iterations: $seen"

status=0
said=$("$upwash" run -n 3 "$binary" "$data/494_bus.mtx" --exchange rumour 2>&1) || status=$?
[[ $status == 2 && $said == 'cg: scheme: "rumour" is not one of direct, '* ]] ||
  fail "an unknown scheme ended with $status: $said"

write() { printf '%%%%MatrixMarket matrix coordinate real %s\n%b' "$1" "$2" >"$work/bad.mtx"; }

refuses "cg: matrix is required (see cg --help)"
refuses "cg: $work/none.mtx: cannot be read; expected a Matrix Market file" "$work/none.mtx"
refuses "cg: $data/west0479.mtx: (1, 83) is 1 and (83, 1) is 0; expected a symmetric matrix" \
  "$data/west0479.mtx"
write general '2 3 1\n1 1 1\n'
refuses "cg: $work/bad.mtx: 2 x 3; expected a square matrix" "$work/bad.mtx"
refuses "cg: $data/3elt.mtx: (1, 1) is 0; expected a positive diagonal" "$data/3elt.mtx"
write symmetric '2 2 3\n1 1 1\n2 1 -3\n2 2 1.5\n'
refuses "cg: $work/bad.mtx: not positive definite, as iteration 1 shows" "$work/bad.mtx"
refuses "cg: --tolerance: Value 2 not in range 0.000000 to 1.000000 (see cg --help)" "$data/494_bus.mtx" \
  --tolerance 2
echo "cg: verified"
