#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# What a rank takes beside its own data, of a thousand that share two processes: under 128 KiB.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
program=$UPWASH_TEST_BIN/resident
export UPWASH_CONFIG=

# takes RANKS: KiB of all
takes() {
  local said
  said=$(timeout 300 "$upwash" run -n "$1" --ranks-per-process $(($1 / 2)) "$program")
  [[ $said =~ ^$1\ ([0-9]+)$ ]] || fail "$1 ranks said '$said'"
  kib=${BASH_REMATCH[1]}
}

takes 64
few=$kib
takes 1024
each=$(((kib - few) / 960))
((each > 4)) || fail "$each KiB a rank: less than its stack's first page"
((each < 128)) || fail "$each KiB a rank ($few KiB for 64 ranks, $kib for 1024)"
echo "many_virtual_ranks: $each KiB a rank"

# Sixteen thousand in one process: none leaves a barrier before all have come.
said=$(timeout 300 "$upwash" run -n 16384 --ranks-per-process 16384 "$UPWASH_TEST_BIN/crowd")
[[ $said == "16384 of 16384" ]] || fail "a barrier of 16384 ranks in one process: '$said'"
echo "many_virtual_ranks: 16384 in one process"
