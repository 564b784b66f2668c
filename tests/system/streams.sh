#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The benches of streams, which check every item: on shared memory and simulated, under each setting;
# settings that make no sense.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"

benches=(records typed variable histogram indexgather chain pair two-way acknowledged synthetic ring
  alltoall phold randomaccess unionfind)
for bench in "${benches[@]}"; do
  # Nothing of a time: what a busy machine disturbs prints no row, but is checked all the same.
  timeout 100 "$upwash" bench "stream-$bench" -n 3 --samples 1 --sample-ms 0.1 >"$work/out" 2>&1 ||
    fail "stream-$bench on 3 ranks: $(cat "$work/out")"
  timeout 100 "$upwash" bench "stream-$bench" --conduit sim --machine summit:ranks_a_node=2 -n 5 \
    >"$work/out" 2>&1 || fail "stream-$bench, simulated: $(cat "$work/out")"
  grep -q simulated "$work/out" || fail "stream-$bench prints no row: $(cat "$work/out")"
done
for bench in neighbors auto; do
  timeout 100 "$upwash" bench "stream-$bench" --conduit sim --machine frontera:ranks_a_node=1 -n 27 \
    >"$work/out" 2>&1 || fail "stream-$bench: $(cat "$work/out")"
done
for setting in direct 1d 2d 3d 4d auto 1d,buffer=64 2d,buffer=1k,threshold=0.5,cutoff=0.5,idle=0,timeout=9us; do
  for bench in records variable indexgather alltoall; do
    timeout 100 "$upwash" bench "stream-$bench" --conduit sim --machine lemieux -n 7 \
      --algorithm $setting >"$work/out" 2>&1 || fail "stream-$bench, $setting: $(cat "$work/out")"
  done
done

valid='direct, auto, 1d to 4d, and behind it ,buffer=BYTES ,threshold=SHARE ,cutoff=SHARE ,timeout=TIME ,idle=0'
for setting in 5d 1d,bufer=3 1d,idle=2 direct,buffer=9 1d,threshold=x; do
  said=$("$upwash" bench stream-records --algorithm $setting 2>&1) && fail "$setting is taken"
  [[ $said == *"a stream's setting \"$setting\"; $valid; job ended" ]] || fail "$setting: $said"
done
echo "streams: checked"
