#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Programs of chance on ranks that take turns, in orders of chance: any number a process. UPWASH_TEST_LONG=1
# takes more seeds.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
evidence=("$work")
export UPWASH_CONFIG=
seeds=12
[[ -z ${UPWASH_TEST_LONG:-} ]] || seeds=300
for ((seed = 1; seed <= seeds; ++seed)); do
  ranks=$((seed * 7 % 13 + 2)) each=$((seed % 6 + 1))
  UPWASH_TURNS=$seed timeout 300 "$upwash" run -n $ranks --ranks-per-process $each \
    --timeout 200s "$UPWASH_TEST_BIN/mixed" $seed 40 >"$work/out" 2>&1 ||
    fail "seed $seed: UPWASH_TURNS=$seed upwash run -n $ranks --ranks-per-process $each mixed $seed 40"
done
for perturbed in "" --perturb; do
  timeout 300 "$upwash" run -n 6 --ranks-per-process 3 --conduit sim $perturbed --seed 5 \
    "$UPWASH_TEST_BIN/mixed" 5 40 >"$work/out" 2>&1 || fail "simulated $perturbed"
done
echo "turns: ok"
