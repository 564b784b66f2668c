#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Discrete events by objects beside a run by one processor, in all ways; what aggregation gains; bad input.
set -euo pipefail
program=phold
source "$(dirname "${BASH_SOURCE[0]}")/lib/program.sh"

lines=(events: way 'direct  ' 'aggregated  ' 'aggregated2d  ')
for ranks in 1 2 4 7; do
  verified $ranks shm --check --compare --processes-a-rank 9 --events 3 --end 6
  verified $ranks loopback --check --compare --processes-a-rank 4 --events 2 --end 4 --wander 2
  for seed in 1 2 3; do
    verified $ranks "sim --perturb --seed $seed" --check --compare --processes-a-rank 5 --events 3 --end 5 --wander 3 --seed $seed
  done
done
verified 3 shm --check --compare --processes-a-rank 200 --events 10 --remote 0.2 --lookahead 2 --mean 0.1 --buffer 100

# Events are small: most of what each costs is its message.
verified 32 "sim --machine summit:ranks_a_node=1" --check --compare --processes-a-rank 64 --events 40 --end 2
[[ $(awk '/^direct /{direct = $3} /^aggregated /{print ($3 > 2 * direct)}' <<<"$seen") == 1 ]] || fail "aggregation gains little: $seen"

refuses "phold: --lookahead: nan is no number from 0.001 to 1000 (see phold --help)" --lookahead nan
refuses "phold: --way: far not in {direct,aggregated,aggregated2d} (see phold --help)" --way far
echo "phold: verified"
