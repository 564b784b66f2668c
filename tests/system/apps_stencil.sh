#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The stencil program by all exchanges beside steps of one processor, and bad input.
set -euo pipefail
program=stencil
source "$(dirname "${BASH_SOURCE[0]}")/lib/program.sh"

lines=(cells: exchange: time:)
for ranks in 1 2 4 7; do
  for exchange in puts messages direct best halving doubling; do
    verified $ranks shm --check --size 11 --steps 5 --repeats 2 --points 27 --exchange $exchange
  done
  verified $ranks shm --check --size 7 --steps 9 --repeats 1
  for boxes in 1 3 8; do
    verified $ranks shm --check --size 29 --steps 7 --repeats 2 --points 27 --exchange objects --objects $boxes
    verified $ranks "sim --perturb --seed $boxes" --check --size 29 --steps 9 --repeats 1 --exchange objects \
      --objects $boxes --wander 2
  done
  verified $ranks loopback --check --size 7 --steps 3 --repeats 2 --points 27 --exchange node_pairs
done
grep -q '^cells: 7^3, 27 points, on 7 ranks, 7 x 1 x 1$' <<<"$seen" || fail "said: $seen"
grep -q '^exchange: by node_pairs,' <<<"$seen" || fail "said: $seen"

# Four exchanges and those of the line, once each; on nodes of 4 ranks too.
lines=(cells: time: 'messages  ' 'puts  ' 'direct  ' 'best  ' 'node_pairs  ')
for on in shm sim "sim --machine lemieux"; do
  verified 8 "$on" --check --size 10 --steps 4 --repeats 2 --points 27 --compare \
    --exchange node_pairs --exchange puts
  [[ $(grep -c '^puts ' <<<"$seen") == 1 ]] || fail "puts twice: $seen"
done
verified 100 "sim --machine lemieux" --check --size 12 --steps 3 --repeats 1 --compare --exchange node_pairs

# Of large faces best knows how long they are: nothing that combines them is chosen.
lines=(cells: 'best  ')
verified 64 "sim --machine lemieux" --check --size 64 --steps 2 --repeats 1 --compare
[[ $(awk '/^best / {print ($NF >= 0.9)}' <<<"$seen") == 1 ]] || fail "best is slower: $seen"

# A square in many small boxes, on any ranks at first: that calls ride together pays.
lines=(cells: exchange: time:)
for by in objects aggregated aggregated2d; do
  verified 5 shm --check --points 5 --size 40 --steps 6 --repeats 1 --objects 7 --hash --wander 2 --exchange $by
done
lines=(cells: 'aggregated ')
verified 16 "sim --machine summit" --check --points 5 --size 128 --steps 5 --repeats 1 --objects 64 --hash --compare \
  --exchange objects --exchange aggregated
[[ $(awk '/^objects / {o=$2} /^aggregated / {a=$2} END {print (o > 1.3 * a)}' <<<"$seen") == 1 ]] || fail "aggregated is slower: $seen"

refuses_on 5 "stencil: --size 4 on 5 ranks, 5 x 1 x 1: ranks would have no cells; give at least 5" --size 4
refuses "stencil: --mflops: nan is no number from 0.001 to 1000000000 (see stencil --help)" --mflops nan
refuses "stencil: --points: 9 not in {5,7,27} (see stencil --help)" --points 9
refuses "stencil: --exchange is given 2 times; several are run by --compare only" \
  --exchange puts --exchange best
for ranks in 1 4; do
  status=0
  said=$("$upwash" run -n $ranks "$binary" --exchange rumour 2>&1) || status=$?
  [[ $status == 2 && $said == 'stencil: scheme: "rumour" is not one of direct, '* ]] ||
    fail "an unknown scheme ended with $status: $said"
done
echo "stencil: verified"
