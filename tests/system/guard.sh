#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# bench/guard beside a history: what it tells of, with a command that prints made-up ratios.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
command -v python3 >/dev/null || { echo "guard: skipped: no python3"; exit 77; }
evidence=("$work/out")

# The made-up command: each bench has one row, near; of `$slow_bench` the ratio is 1.5, of others 1.
cat >"$work/upwash" <<'END'
#!/usr/bin/env bash
declare -A label=([atomic-latency]=fetch-add [barrier]=control [all-gather]=small [stream-records]=1d
                  [neighbor-forms]=persistent/best)
ratio=1
[[ $2 == "${slow_bench:-}" ]] && ratio=1.5
echo "# a heading"
echo "{\"bench\":\"$2\",\"label\":\"${label[$2]:-}\",\"ratio\":$ratio,\"placement\":\"${cores:-near}\"}"
END
chmod +x "$work/upwash"
guard() { "$root/bench/guard" --upwash "$work/upwash" --rounds 3 --history "$work/history.json" "$@" >"$work/out" 2>&1; }

guard --record || fail "a first record: status $?"
grep -q 'nothing is recorded to compare with' "$work/out" || fail "a first record is compared with something"
guard || fail "the same again: status $?"
grep -q 'guard: 0 of 10 are more than 10 % slower than recorded' "$work/out" || fail "the same is slower"
slow_bench=am-rate guard || fail "slower: status $?"
grep -qE '^am-rate/8 +near +1\.50 +1\.00 +\+50 %  slower than at [0-9a-f]+$' "$work/out" || fail "a loss is not told"
grep -q 'guard: 1 of 10 are' "$work/out" || fail "a loss is not counted"
cores=far slow_bench=am-rate guard || fail "other cores: status $?"
grep -q 'guard: 0 of 10 are' "$work/out" || fail "far cores are compared with near ones"
guard --rounds 0 && fail "no rounds: status 0"
printf '#!/bin/sh\necho broken >&2\nexit 3\n' >"$work/upwash"
guard && fail "a bench that fails: status 0"
grep -q 'ended with status 3: broken' "$work/out" || fail "a bench that fails is not told of"
echo "guard: tells of losses, of nothing else"
