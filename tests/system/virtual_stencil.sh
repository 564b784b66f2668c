#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Table 5.1 of Kumar 2005: ranks that share a processor hide what the exchange takes, as far as the
# network of a node lets them.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
out=$work/out
evidence=("$out")
export UPWASH_CONFIG=
if ! grep -q '^UPWASH_SANITIZE:[A-Z]*=$' "$UPWASH_TEST_BUILD/CMakeCache.txt"; then
  echo "virtual_stencil: passed over, 4,096 ranks take too long under sanitizers"
  exit 77
fi
[[ -x $UPWASH_TEST_BIN/stencil ]] || exit 77

bash bench/virtual-ranks "$UPWASH_TEST_BIN" >"$out"
[[ $(wc -l <"$out") == 4 ]] || fail "not three rows"

# holds PROCESSORS CONDITION WHAT: of one, eight, factor.
holds() {
  awk -v p="$1" '$1 == p { one = $2; eight = $3; factor = $4; exit !('"$2"') }' "$out" || fail "$1: $3"
}
# The work of a step is 100.4 and 12.55 ms.
holds 8 "eight >= 100.4 && eight < 1.02 * 105" "the exchange is not hidden"
holds 8 "factor > 1.1 && factor < 1.83" "no gain, or more than measured"
holds 64 "eight > 0.93 * 12.7 && eight < 1.07 * 12.7" "8 ranks are not within 7 % of 12.7 ms"
holds 64 "one > 0.8 * 16.4 && one < 1.2 * 16.4" "1 rank is not within 20 % of 16.4 ms"
holds 64 "factor > 1.2 && factor < 1.29 * 1.2" "the gain is not within 20 % of 1.29"
# Short messages in eight times the number: the node's NIC takes longer for them than the work.
holds 512 "factor < 1" "differs no more from what docs/papers.md says"
echo "virtual_stencil: ok"
