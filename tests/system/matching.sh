#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A program whose collectives are tagged messages is recorded by every rank, and replayed.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=$work

diff "$root/examples/02_all_gather/expected.txt" \
  <(UPWASH_TRANSFER=matched UPWASH_MATCHING=list/unified UPWASH_MATCH_TRACE="$folder/trace" \
    "$UPWASH_TEST_BIN/upwash" run -n 4 "$UPWASH_TEST_BIN/02_all_gather") ||
  fail "by tagged messages the program prints otherwise"
for rank in 0 1 2 3; do
  [[ $(head -n 1 "$folder/trace.$rank") == "upwash matching recording, version 1" ]] ||
    fail "no recording of rank $rank"
  (($(wc -c <"$folder/trace.$rank") > 60)) || fail "nothing recorded by rank $rank"
done
"$UPWASH_TEST_BIN/upwash" bench matching --replay "$folder/trace" | shows '^# fastest: ' ||
  fail "the recording is not replayed"

# What was recorded shapes the queues of the next run; what cannot be read is named.
diff "$root/examples/02_all_gather/expected.txt" \
  <(UPWASH_TRANSFER=matched UPWASH_MATCHING=list/clustered_sum UPWASH_MATCH_PROFILE="$folder/trace" \
    "$UPWASH_TEST_BIN/upwash" run -n 4 "$UPWASH_TEST_BIN/02_all_gather") ||
  fail "with queues of an earlier run the program prints otherwise"
if UPWASH_MATCH_PROFILE="$folder/none" "$UPWASH_TEST_BIN/upwash" run -n 2 \
  "$UPWASH_TEST_BIN/02_all_gather" 2>"$folder/error"; then
  fail "a profile that there is not is taken"
fi
grep -q "$folder/none" "$folder/error" || fail "not named: $(cat "$folder/error")"

if UPWASH_TRANSFER=matching "$UPWASH_TEST_BIN/upwash" run -n 2 "$UPWASH_TEST_BIN/02_all_gather" \
  2>"$folder/error"; then
  fail "a mechanism that there is not is taken"
fi
grep -q 'UPWASH_TRANSFER: "matching" is not one of by_size|eager|' "$folder/error" ||
  fail "a mechanism that there is not is refused otherwise: $(cat "$folder/error")"
echo "matching: recorded and replayed"
