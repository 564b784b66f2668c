#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# A quick sample of bench/shaped-hosts: its tables are there, and what it measured went over the links.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
[[ -e $UPWASH_TEST_BUILD/lib/upwash/libupwash_ucx.so ]] ||
  { echo "shaped_hosts: skipped: upwash was built without UCX (libucx-dev)"; exit 77; }
evidence=("$work/out" "$work/err")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

status=0
"$root/bench/shaped-hosts" --build "$UPWASH_TEST_BUILD" --no-build --out "$work/bench" --hosts 2 --ranks 2 \
  --rate 500mbit --repeat 1 --seconds 0.002 --parts collectives,meshes,predictions --only barrier,all_to_all,broadcast \
  --without openmpi,mpich --json "$work/rows" >"$work/out" 2>"$work/err" || status=$?
if [[ $status == 77 ]]; then
  cat "$work/err"
  exit 77
fi
[[ $status == 0 ]] || fail "status $status"

sent=$(sed -n 's/^# \([0-9]*\) bytes went over the links of 2 hosts$/\1/p' "$work/out")
((sent > 1000000)) || fail "$sent bytes went over the links"
for cell in 'barrier +0' 'broadcast +262144' 'all_to_all +8'; do
  grep -qE "^2 x 2 +$cell +[0-9.]+ " "$work/out" || fail "no row '$cell'"
done
grep -qE '^2 x 2, chosen/best: geometric mean [0-9.]+ of 3 cells, worst' "$work/out" || fail "no means of meshes"
python3 - "$work/rows" <<'EOF' || fail "not the rows that were wanted"
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
# A link of 500 Mbit/s: 256 KiB take 4.2 ms and more to cross it, however they go. Bursts of 64 KiB pass at once.
far = [r["medians"]["shm+ucx"] for r in rows
       if r["bench"].endswith("collectives") and r["what"] == "broadcast" and r["bytes"] == 262144]
assert far and min(far) > 3000, far
EOF
echo "shaped_hosts: the tables are there, by the links"
