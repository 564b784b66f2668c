#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Table 5.1 of Kumar 2005: ranks, or objects, that share a processor hide what the exchange takes, as far as the
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
[[ $(wc -l <"$out") == 7 ]] || fail "not six rows"

# of WHAT PROCESSORS CONDITION FAILURE: of one, eight, factor.
of() {
  awk -v w="$1" -v p="$2" '$1 == w && $2 == p { one = $3; eight = $4; factor = $5; exit !('"$3"') }' "$out" ||
    fail "$1 $2: $4"
}
holds() { of ranks "$@"; }
# The work of a step is 100.4 and 12.55 ms.
holds 8 "eight >= 100.4 && eight < 1.02 * 105" "the exchange is not hidden"
holds 8 "factor > 1.1 && factor < 1.83" "no gain, or more than measured"
holds 64 "eight > 0.93 * 12.7 && eight < 1.07 * 12.7" "8 ranks are not within 7 % of 12.7 ms"
holds 64 "one > 0.8 * 16.4 && one < 1.2 * 16.4" "1 rank is not within 20 % of 16.4 ms"
holds 64 "factor > 1.2 && factor < 1.29 * 1.2" "the gain is not within 20 % of 1.29"
# Short messages in eight times the number: the node's NIC takes longer for them than the work.
holds 512 "factor < 1" "differs no more from what docs/papers.md says"
# Objects are called when their sides are there, and nobody waits.
of objects 8 "eight >= 100.4 && eight < 1.03 * 100.4 && factor > 1.1" "the exchange is not hidden"
of objects 64 "one > 0.95 * 16.4 && one < 1.05 * 16.4" "1 object is not within 5 % of 16.4 ms"
of objects 64 "eight > 0.95 * 12.7 && eight < 1.05 * 12.7" "8 objects are not within 5 % of 12.7 ms"
of objects 64 "factor > 0.95 * 1.29 && factor < 1.05 * 1.29" "the gain is not within 5 % of 1.29"
of objects 512 "factor > 0.95 * 1.14 && factor < 1.05 * 1.14" "the gain is not within 5 % of 1.14"
echo "virtual_stencil: ok"
