#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Random transfers from new seeds; a failure says its seed.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../system/lib/checks.sh"
evidence=("$work")
for ranks in 1 2 3 4 5; do
  for _ in 1 2 3 4; do
    seed=$RANDOM$RANDOM
    timeout 120 "$upwash" run -n "$ranks" --timeout 60s "$UPWASH_TEST_BIN/armci_random_transfers" \
      "$seed" >"$work/out" 2>&1 || fail "seed $seed on $ranks ranks: status $?"
    grep -qx "random_transfers: $ranks ranks" "$work/out" || fail "seed $seed on $ranks ranks"
  done
done
echo "random: ok"
