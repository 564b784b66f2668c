#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Traces of whole jobs: written, put together, read, converted; of ranks that are killed, too.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
bin=$UPWASH_TEST_BIN
export UPWASH_CONFIG=
file=$work/trace
evidence=("$work/out")

# the_ends: Perfetto's file is JSON, each slice has a length, each arrow two ends, its end not before
# its begin; the CSV has a line a message, and as many came as were sent.
the_ends() {
  python3 - "$work/chrome.json" "$work/messages.csv" <<'PY' || fail "the converted trace is right"
import collections, csv, json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
arrows = collections.defaultdict(dict)
for e in events:
    assert e["ph"] in "XMbesf", e
    if e["ph"] == "X":
        assert e["dur"] >= 0 and e["ts"] >= 0, e
    if e["ph"] in "sf":
        arrows[e["id"]][e["ph"]] = e["ts"]
assert arrows
for ends in arrows.values():
    assert set(ends) == {"s", "f"} and ends["s"] <= ends["f"], ends
rows = list(csv.DictReader(open(sys.argv[2])))
assert len(rows) >= len(arrows)
assert sum(1 for r in rows if r["handled_us"]) == len(arrows)
PY
}

for conduit in shm sim; do
  for ranks in 1 4; do
    rm -rf "$file" "$work"/chrome.json
    "$upwash" run -n "$ranks" --conduit "$conduit" --trace "$file" "$bin/04_streams" >"$work/out" 2>&1 ||
      fail "a traced job on $conduit runs"
    [[ -f $file && ! -e $file.parts ]] || fail "the parts of a job on $conduit are one file"
    "$upwash" trace "$file" --chrome "$work/chrome.json" --messages "$work/messages.csv" >"$work/out"
    grep -q "^$ranks of $ranks ranks, [1-9][0-9]* events" "$work/out" || fail "all ranks are there"
    ! grep -q "^missing" "$work/out" || fail "nothing is missing"
    ((ranks == 1)) || the_ends
    "$upwash" trace "$file" --json | python3 -m json.tool >/dev/null || fail "the numbers are JSON"
  done
done

# Who is late is named, by each way of calling, and the others' waits are known; in virtual time, on
# a machine with a core for each rank, all
# numbers are.
for late in 0 2; do
  "$upwash" run -n 4 --conduit sim --machine edr --trace "$file" "$bin/late" "$late" >"$work/out" 2>&1
  "$upwash" trace "$file" --json >"$work/late.json"
  python3 - "$work/late.json" "$late" <<'PY' || fail "rank $late is late, and the trace says so"
import json, sys
trace, late = json.load(open(sys.argv[1])), int(sys.argv[2])
for name in ("all_reduce", "barrier"):
    calls = [c for c in trace["collectives"] if c["name"].startswith(name) and "late.cpp" in c["name"]]
    assert sum(c["compared"] for c in calls) == 5, calls
    last = [(l["rank"], l["last"], l["late_us"]) for c in calls for l in c["late"]]
    assert [l[:2] for l in last] == [(late, 5)] and 4500 < last[0][2] < 5500, last
for share in trace["shares"]:
    of_program = share["program_us"] > 9500
    assert of_program == (share["rank"] == late) == (share["wait_us"] < 5000), share
path = [p for p in trace["critical"] if p["rank"] == late]
assert sum(p["end_us"] - p["begin_us"] for p in path) > 0.9 * trace["us"], trace["critical"]
PY
done
"$upwash" run -n 4 --trace "$file" "$bin/late" 1 >"$work/out" 2>&1
"$upwash" trace "$file" --json | python3 -c 'import json, sys
calls = [c for c in json.load(sys.stdin)["collectives"] if "late.cpp" in c["name"]]
assert sum(c["compared"] for c in calls) == 10, calls' || fail "starts of a persistent operation are told apart"

# A full disk: the job goes on, its trace has what there was room for and says what is missing.
if unshare -m true 2>/dev/null; then
  mkdir "$work/small"
  unshare -m sh -e -c '
    mount -t tmpfs -o size=2m none "$1"
    "$2" run -n 2 --trace "$1/trace" "$3" >"$4" 2>&1
    "$2" trace "$1/trace" >>"$4"
  ' sh "$work/small" "$upwash" "$bin/04_streams" "$work/out" || fail "a full disk does not end the job"
  grep -q "no room on the disk; events from now on are counted, not kept" "$work/out" ||
    fail "a full disk is warned of"
  grep -qE "^missing: rank [01]: the disk was full: [1-9][0-9]* events" "$work/out" ||
    fail "what a full disk refused is counted"
else
  echo "trace: no mount namespace: a full disk was not tried"
fi

# Ranks of one process; started by nobody; by an environment.
"$upwash" run -n 6 --ranks-per-process 3 --trace "$file" "$bin/02_all_gather" >"$work/out" 2>&1
"$upwash" trace "$file" >"$work/out"
grep -q "^6 of 6 ranks" "$work/out" || fail "ranks that share a process have parts of their own"
grep -qE "all_gather .* at main.cpp:[0-9]+" "$work/out" || fail "a collective has its call"
rm -f "$file"
UPWASH_TRACE=$file "$bin/02_all_gather" >"$work/out" 2>&1
"$upwash" trace "$file" >"$work/out" || fail "a process alone writes a trace"

# A rank that is killed leaves what it wrote.
UPWASH_TRACE=$file "$upwash" run -n 3 bash -c 'echo "pid $$"; exec "$0"' "$bin/endless" >"$work/out" 2>&1 &
launcher=$!
for _ in $(seq 3000); do
  [[ $(grep -c '^talking' "$work/out") == 3 ]] && break
  sleep 0.02
done
kill -9 "$(sed -n '0,/^pid /s/^pid //p' "$work/out")"
wait "$launcher" && fail "the job fails"
"$upwash" trace "$file" >"$work/out" || fail "the trace of a killed job is read"
grep -q "^missing: rank [0-2]: the rank did not end its job in good order$" "$work/out" ||
  fail "it says which rank did not end"

# What was there before is not mixed in.
"$upwash" run -n 2 --trace "$file" "$bin/02_all_gather" >"$work/out" 2>&1
"$upwash" trace "$file" >"$work/out"
grep -q "^2 of 2 ranks" "$work/out" || fail "a new trace takes the place of the old"

# Bad input: one line.
refuses() {
  local status=0
  "$@" >"$work/out" 2>&1 || status=$?
  ((status == 2 || status == 1)) && [[ $(wc -l <"$work/out") -le 2 ]] || fail "one line: $*"
}
refuses "$upwash" trace "$work/none"
refuses "$upwash" trace "$bin/faulty"
refuses "$upwash" trace "$file" --chrome /proc/nowhere
UPWASH_TRACE=/proc/nowhere refuses "$bin/02_all_gather"
