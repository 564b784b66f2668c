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
    assert e["ph"] in "XMbesfC", e
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

# What layers do is counted as the program counts it: messages of streams by their causes, tagged
# messages and both their queues, objects that migrate, steps of collectives, choices of the tuner.
# counted CONDUIT RANKS
counted() {
  "$upwash" run -n "$2" --conduit "$1" --trace "$file" "$bin/layers" >"$work/layers.json" 2>"$work/out"
  "$upwash" trace "$file" --json --messages "$work/messages.csv" >"$work/trace.json"
  python3 - "$work/layers.json" "$work/trace.json" "$work/messages.csv" "$2" <<'PY' || fail "what layers do on $1 is counted"
import csv, json, sys
did, seen, ranks = json.load(open(sys.argv[1])), json.load(open(sys.argv[2])), int(sys.argv[4])
sent = lambda *causes: sum(s["messages"] for s in seen["streams"] if s["cause"] in causes)
assert {s["opened_at"].split(":")[0] for s in seen["streams"]} == {"layers.cpp"}, seen["streams"]
assert sum(s["messages"] for s in seen["streams"]) == did["stream_messages"], (did, seen["streams"])
assert sum(s["bytes"] for s in seen["streams"]) == did["stream_bytes"], (did, seen["streams"])
assert sum(s["items"] for s in seen["streams"]) == 1000 * ranks, seen["streams"]
assert sent("full", "threshold") == did["stream_full"] > 0 and sent("asked") == did["stream_asked"]
for s in seen["streams"]:
    assert sum(s["fills"]) == s["messages"] and s["receivers"]
    if s["cause"] == "threshold": assert 0.9 < s["fill"] < 1.2, s

tagged = seen["matching"]
half = did["tagged"] * ranks
assert tagged["messages"] == tagged["receives"] == 2 * half, tagged
assert tagged["found_a_receive"] == tagged["waited"] == half, tagged
assert tagged["unexpected"] == tagged["found_a_message"] == half, tagged
assert [t["tag"] for t in tagged["tags"]] == [*range(did["tagged"]), *range(100, 100 + did["tagged"])]
assert all(t["messages"] == ranks and t["bytes"] == 4 * ranks for t in tagged["tags"])
for r in tagged["ranks"]:
    assert r["most_posted"] == r["most_unexpected"] == did["tagged"], tagged["ranks"]
assert max(tagged["posted_depth"]) == max(tagged["unexpected_depth"]) == did["tagged"]
with_tag = [r["tag"] for r in csv.DictReader(open(sys.argv[3])) if r["tag"]]
assert len(with_tag) == 2 * half, len(with_tag)

assert sum(m["objects"] for m in seen["migrations"]) == did["migrations"], seen["migrations"]
assert all(m["to"] == (m["from"] + 1) % ranks and m["bytes"] > 400 * m["objects"] for m in seen["migrations"])

sums = [c for c in seen["choices"] if c["problem"].startswith("all_reduce of 8 bytes among %d " % ranks)]
assert len(sums) == 1, seen["choices"]
priced = {c["name"]: c["predicted_us"] for c in sums[0]["candidates"]}
assert sums[0]["chosen"] in priced and len(priced) > 3, sums
best = min(p for p in priced.values() if p is not None)
assert priced[sums[0]["chosen"]] <= 1.04 * best, sums
ran = [r for r in sums[0]["ran"] if r["algorithm"] == sums[0]["chosen"].split(":")[0]]
assert ran[0]["calls"] == did["sums"] and 0 < ran[0]["least_us"] <= ran[0]["us"] / ran[0]["calls"], ran
assert any(s["name"].endswith(" all_reduce") and s["count"] >= did["sums"] * ranks for s in seen["steps"]), seen["steps"]
PY
}
counted shm 3
"$upwash" trace "$file" --chrome "$work/chrome.json" >"$work/out"
the_ends
shows '"ph":"C","name":"rank 0 tagged".*"receives posted":5' <"$work/chrome.json" || fail "Perfetto has the queues' depths"
counted sim 4
grep -qE "^ +[0-9.]+ +[0-9.]+  all_reduce of 8 bytes among 4 ranks: " <("$upwash" trace "$file") ||
  fail "a choice stands in the text with what it took"

# What if: as it was measured the replay ends when the job did; a machine whose messages take longer
# takes longer, and the program's work stays.
"$upwash" run -n 4 --conduit sim --machine edr --trace "$file" "$bin/late" 2 >"$work/out" 2>&1
"$upwash" trace "$file" --on edr --on ethernet:ranks_a_node=1 --on lemieux --json >"$work/again.json"
python3 - "$work/again.json" <<'PY' || fail "the replay of a trace is near what was measured"
import json, sys
trace = json.load(open(sys.argv[1]))
was, edr, slow, other = trace["what_if"]
assert was["on"] == "" and [w["on"] for w in (edr, slow, other)] == ["edr", "ethernet:ranks_a_node=1", "lemieux"]
assert abs(was["us"] / trace["us"] - 1) < 0.01, (was["us"], trace["us"])
assert abs(edr["us"] / trace["us"] - 1) < 0.05, (edr["us"], trace["us"])
assert edr["us"] < slow["us"], (edr["us"], slow["us"])
for each in trace["what_if"]:
    assert each["stranded"] == 0 and len(each["ranks"]) == 4
    late = [r["work_us"] > 9900 for r in each["ranks"]]
    assert late == [False, False, True, False], each
PY
# What each layer does on Lemieux, done again there and on an Ethernet, takes what it takes there.
for machine in lemieux ethernet; do
  "$upwash" run -n 8 --conduit sim --machine "$machine:ranks_a_node=1" --trace "$work/$machine" "$bin/layers" >"$work/out" 2>&1
  "$upwash" trace "$work/$machine" --on lemieux:ranks_a_node=1 --on ethernet:ranks_a_node=1 --json >"$work/$machine.json"
done
python3 - "$work/lemieux.json" "$work/ethernet.json" <<'PY' || fail "a replay foretells what a job takes on another machine"
import json, sys
there, other = (json.load(open(f)) for f in sys.argv[1:])
was, same, foretold = (w["us"] for w in there["what_if"])
assert abs(was / there["us"] - 1) < 0.01 and abs(same / there["us"] - 1) < 0.05, (was, same, there["us"])
assert abs(foretold / other["us"] - 1) < 0.2, (foretold, other["us"])
PY
"$upwash" run -n 8 --conduit sim --machine lemieux:ranks_a_node=1 --trace "$file" "$bin/04_streams" >"$work/out" 2>&1
"$upwash" trace "$file" --on lemieux:ranks_a_node=1 --topology fat-tree:ports=4,levels=3 >"$work/out" ||
  fail "a trace is done again on a topology"
grep -qE "^ +[0-9.]+ +[0-9.]+x  lemieux:ranks_a_node=1, fat-tree" "$work/out" || fail "and its time stands there"
refused "--topology needs --on: the machine whose messages travel" "$upwash" trace "$file" --topology torus:size=2x2

# Kumar 2005, figure 5.1: with two ranks a processor one computes while the other waits for its
# neighbours' sides, so the processor is busy for more of the time.
if [[ -x $bin/stencil ]]; then
  for each in 1 2; do
    "$upwash" run -n $((8 * each)) --ranks-per-process "$each" --conduit sim --machine "lemieux:ranks_a_core=$each" \
      --trace "$work/stencil$each" "$bin/stencil" --size 96 --points 7 --exchange messages --mflops 240 --steps 5 \
      --repeats 1 >"$work/out" 2>&1
    "$upwash" trace "$work/stencil$each" --chrome "$work/stencil$each.json" >"$work/out"
  done
  python3 - "$work/stencil1.json" "$work/stencil2.json" <<'PY' || fail "the timeline shows that waiting is hidden"
import json, sys
def busy(path, a_core):
    """The part of the time, from its first to its last computation, for which a processor computes."""
    ranks = {}
    for e in json.load(open(path))["traceEvents"]:
        if e["ph"] == "X" and e["cat"] == "compute":
            ranks.setdefault(e["tid"], []).append((e["ts"], e["ts"] + e["dur"]))
    shares = []
    for core in range(8):
        all = sorted(i for r in range(core * a_core, (core + 1) * a_core) for i in ranks[r])
        for (_, end), (begin, _) in zip(all, all[1:]):
            assert begin >= end - 1e-3, "two ranks compute on one processor at once"
        shares.append(sum(e - b for b, e in all) / (all[-1][1] - all[0][0]))
    return sum(shares) / len(shares)
one, two = busy(sys.argv[1], 1), busy(sys.argv[2], 2)
assert two > one + 0.03, (one, two)
PY
fi

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

# A report at the end, with no file asked for: none is left; calls with the lines that made them, and the algorithm chosen.
TMPDIR=$work UPWASH_REPORT=1 "$upwash" run -n 2 "$bin/02_all_gather" >"$work/out" 2>"$work/report"
[[ $(cat "$work/out") == "2 ranks, agreed" ]] || fail "the report is on standard error"
grep -qE "all_gather .* at main.cpp:[0-9]+" "$work/report" || fail "the report names the call"
grep -qE "^ +[0-9.-]+ +[0-9.-]+  all_gather of [0-9]+ bytes among 2 ranks" "$work/report" || fail "it says what was chosen"
! compgen -G "$work/upwash-report-*" >/dev/null || fail "it leaves nothing behind"
UPWASH_REPORT=$work/report.json "$upwash" run -n 2 --trace "$file" "$bin/02_all_gather" >"$work/out" 2>&1
python3 -c 'import json, sys; assert len(json.load(open(sys.argv[1]))["shares"]) == 2' "$work/report.json" || fail "as JSON"
[[ -f $file ]] || fail "a trace that was asked for stays"
# An older trace is not this job's.
UPWASH_REPORT=1 "$upwash" run -n 2 --trace "$file" true >"$work/out" 2>&1 || fail "a program that is none of upwash's ends as it would"
grep -q "^upwash run: UPWASH_REPORT: no rank wrote a trace: the program is none of upwash's, " "$work/out" || fail "it says that there is no trace"
! grep -q "^2 of 2 ranks" "$work/out" || fail "an older trace is told as this job's"
UPWASH_REPORT=1 "$bin/02_all_gather" >"$work/out" 2>&1 || fail "a job that was not started by upwash run ends as it would"
grep -q "no report will be made (knob report): only .upwash run. makes one" "$work/out" || fail "it says who makes reports"
UPWASH_REPORT=/proc/nowhere "$upwash" run -n 2 "$bin/02_all_gather" >"$work/out" 2>&1 || fail "the job ends as it would"
grep -q "UPWASH_REPORT: cannot write /proc/nowhere" "$work/out" || fail "it says that it cannot"
if TMPDIR=/proc/nowhere UPWASH_REPORT=1 "$upwash" run -n 2 "$bin/02_all_gather" >"$work/out" 2>&1; then
  fail "a report without a folder for its trace"
fi
grep -q "cannot make /proc/nowhere/upwash-report-.* TMPDIR" "$work/out" || fail "it says which folder it needs"

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
