#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A plane-wave step by all ways of travel beside a run by one processor; what the ways cost; bad input.
set -euo pipefail
program=planewave
source "$(dirname "${BASH_SOURCE[0]}")/lib/program.sh"

lines=(potential mapping density)
for ranks in 1 3 4; do
  for transpose in direct each_to_many mesh2d streaming; do
    for mapping in states planes; do
      verified $ranks shm --check --states 5 --planes 9 --points 6 --steps 2 --mapping $mapping --transpose $transpose --wander 2
    done
  done
done
for multicast in direct ring tree each_to_many_multicast each_to_many_multicast:mesh2d; do
  verified 5 "sim --perturb --seed 7" --check --states 6 --planes 8 --points 7 --steps 2 --multicast $multicast --wander 2
done
verified 6 loopback --check --states 7 --planes 6 --points 5 --steps 2 --transpose streaming --bucket 3 --multicast ring

# On few processors planes of a state belong together, on many those of a number.
step_time() { awk '/^(states|planes) /{print $(NF - 2)}' <<<"$seen"; }
lines=(mapping)
of="--states 32 --planes 48 --points 48 --steps 1 --without-arithmetic --mflops 500"
declare -A took
for ranks in 8 256; do
  for mapping in states planes; do
    seen=$("$upwash" run -n $ranks --conduit sim --machine lemieux "$binary" $of --mapping $mapping --transpose streaming)
    took[$ranks,$mapping]=$(step_time)
  done
done
[[ $(awk "BEGIN {print (${took[8,states]} < ${took[8,planes]} && ${took[256,states]} > 1.5 * ${took[256,planes]})}") == 1 ]] ||
  fail "mappings: ${took[8,states]} ${took[8,planes]} ms on 8 ranks, ${took[256,states]} ${took[256,planes]} on 256"

# Pieces that ride together cost less than each singly.
for bucket in 1 10; do
  seen=$("$upwash" run -n 256 --conduit sim --machine lemieux "$binary" $of --mapping planes --transpose streaming --bucket $bucket)
  took[$bucket]=$(step_time)
done
[[ $(awk "BEGIN {print (1.3 * ${took[10]} < ${took[1]})}") == 1 ]] || fail "buckets of 1 and 10: ${took[1]} ${took[10]} ms"

refuses "planewave: --mapping: rows not in {states,planes} (see planewave --help)" --mapping rows
echo "planewave: verified"
