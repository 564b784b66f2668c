#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Molecular dynamics by all exchanges beside a run by one processor, and bad input.
set -euo pipefail
program=md
source "$(dirname "${BASH_SOURCE[0]}")/lib/program.sh"
water=$root/data/molecular/water_tip3p.pdb

lines=(particles: time: energy:)
for ranks in 1 2 4 7; do
  for exchange in direct each_to_many mesh2d streaming aggregated aggregated2d; do
    verified $ranks shm --check --cells 3,2,3 --steps 12 --exchange $exchange --wander 5
  done
  verified $ranks loopback --check --cells 4,2,3 --k-away 2 --steps 7 --migrate 2 --placement hash
done
grep -q '^particles: 72, in 4 x 2 x 3 cells, 1512 computes (2-away), on 7 ranks$' <<<"$seen" || fail "said: $seen"
verified 4 shm --check --file "$water" --steps 20 --temperature 3 --time-step 0.002
grep -q '^particles: 895, in 3 x 3 x 3 cells,' <<<"$seen" || fail "said: $seen"
verified 4 shm --check --file "$root/data/molecular/dhfr_water_5dfr.pdb" --steps 10 --temperature 3 --time-step 0.001
grep -q '^particles: 7182, in 6 x 6 x 6 cells,' <<<"$seen" || fail "said: $seen"

# Computes that cost, spread by a hash: once they are balanced the run is shorter.
lines=(particles: time: energy:)
spread="--check --cells-a-rank 2 --placement hash --pair-ns 3000 --steps 40"
verified 32 "sim --machine lemieux" $spread
as_spread=$(awk '/^time: /{print $2}' <<<"$seen")
lines+=('balanced: 3 times, ')
verified 32 "sim --machine lemieux" $spread --balance 10
[[ $(awk -v spread="$as_spread" '/^time: /{print ($2 < 0.9 * spread)}' <<<"$seen") == 1 ]] ||
  fail "balanced computes take as long as the $as_spread ms without: $seen"

lines=(particles: energy: 'direct  ' 'aggregated  ' 'aggregated2d  ' 'mesh2d  ')
verified 16 "sim --machine summit" --check --steps 6 --compare --exchange mesh2d
[[ $(awk '/^direct /{direct = $4} /^aggregated /{print ($4 < direct / 2)}' <<<"$seen") == 1 ]] ||
  fail "aggregated forces travel in more messages: $seen"

# Charges by a mesh, whose transposes travel in three ways; of a lattice, and of water.
lines=(particles: charges: energy:)
for ranks in 1 3 5; do
  for transpose in blocking direct mesh2d; do
    verified $ranks shm --check --cells 3,2,3 --steps 7 --pme-grid 12,10,12 --pme-transpose $transpose --wander 3
    verified $ranks "sim --perturb --seed $ranks" --check --cells 3,2,3 --steps 5 --pme-grid 12,10,12 --pme-transpose $transpose
  done
done
verified 3 shm --check --file "$water" --steps 5 --temperature 1 --time-step 0.0005 --pme-grid 32,32,32
lines=(particles: 'blocking  ' 'direct  ' 'mesh2d  ')
verified 128 "sim --machine lemieux" --check --cells 8,8,4 --steps 2 --migrate 100 --pme-grid 64,64,40 --mflops 300 \
  --pair-ns 40 --point-ns 20 --compare
[[ $(awk '/^direct /{direct = $2} /^mesh2d /{print ($2 < direct)}' <<<"$seen") == 1 ]] ||
  fail "a transpose over a mesh takes longer than direct: $seen"

# A late rank catches up where nobody waits for the energies: less than half as much is lost.
lines=(particles: energy: 'rank 5 is late 2 times, 20.000 ms together' 'asynchronous  ' 'blocking  ')
verified 32 "sim --machine lemieux:ranks_a_node=1" --check --cells-a-rank 4 --placement hash \
  --pair-ns 300 --steps 59 --energies both --noise 5:20:10
[[ $(awk '/^asynchronous /{a = $NF} /^blocking /{print (a < $NF / 2 && $NF > 0)}' <<<"$seen") == 1 ]] ||
  fail "a late rank costs as much where nobody waits: $seen"

refuses "md: --energies both compares runs with a --noise, by one --exchange: give --noise RANK:EVERY:MS, and no --compare" \
  --energies both
refuses "md: --pair-ns: nan is no number from 0 to 1000000000 (see md --help)" --pair-ns nan
refuses "md: --exchange is given 2 times; several are run by --compare only" \
  --exchange direct --exchange mesh2d
refuses "md: nothing.pdb: cannot be opened; expected a PDB file" --file nothing.pdb
refuses_on 4 "md: --noise 4:1:1: expected RANK:EVERY:MS, a rank from 0 to 3, a number of steps, and milliseconds, such as 0:10:0.5" --noise 4:1:1
refuses "md: a box of 0.6 x 0.6 x 0.6 is smaller than the cutoff, 2.5, with its margin; give a smaller cutoff or more --k-away" --file "$water" --sigma 50
status=0
said=$("$upwash" run -n 4 "$binary" --cells 3,3,3 --steps 400 --migrate 400 2>&1) || status=$?
[[ $status != 0 && $said == *'outside its cell at step '*' (--migrate), '* ]] ||
  fail "particles that leave their cell ended with $status: $said"
echo "md: verified"
