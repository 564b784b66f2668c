#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# upwash simulate: tables, JSON and plots; the same for the same seed; bad input is one line.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
export UPWASH_CONFIG=

refuses() { refused "$1" "$upwash" simulate "${@:2}"; }

tree="--topology fat-tree:ports=8,levels=2 --packets 100 --warm-up 50"
# shellcheck disable=SC2086
"$upwash" simulate $tree --traffic transpose --traffic uniform --load 0.2:1.0:0.4 --seed 3 \
  --json "$work/a.json" --plot "$work/a.svg" --heat "$work/heat.svg" >"$work/a.txt" 2>"$work/errors"
[[ ! -s $work/errors ]] || fail "wrote to standard error: $(cat "$work/errors")"
# shellcheck disable=SC2086
"$upwash" simulate $tree --traffic transpose --traffic uniform --load 0.2:1.0:0.4 --seed 3 \
  >"$work/b.txt"
cmp -s "$work/a.txt" "$work/b.txt" || fail "the same seed gave another table"
[[ $(grep -c '^ ' "$work/a.txt") == 8 ]] || fail "expected 2 heads and 6 rows: $(cat "$work/a.txt")"

python3 - "$work" <<'END' || fail "JSON or SVG"
import json, sys, xml.dom.minidom
rows = [json.loads(line) for line in open(sys.argv[1] + "/a.json")]
assert len(rows) == 6, rows
for row in rows:
    for key in ("load", "accepted", "latency_avg_ns", "latency_p99_ns", "packets", "packet_hops",
                "wall_s"):
        assert row[key] > 0, (key, row)
    assert row["latency_p99_ns"] >= row["latency_avg_ns"] * 0.95, row
assert abs(rows[0]["accepted"] - 0.2) < 0.03, rows[0]
assert [round(row["load"], 3) for row in rows[:3]] == [0.2, 0.6, 1.0], rows
svg = xml.dom.minidom.parse(sys.argv[1] + "/a.svg")
assert len(svg.getElementsByTagName("path")) == 4, "two curves in each of two panels"
heat = xml.dom.minidom.parse(sys.argv[1] + "/heat.svg")
assert len(heat.getElementsByTagName("title")) == 16 + 8 * 8 - 4 * 4, "a square a link"


def texts(of):
    return [each.firstChild.data for each in of.getElementsByTagName("text")]


assert {"0 (unused)", "1 (all the time)", "0", "8"} <= set(texts(heat)), texts(heat)
latency = [float(text) for text in texts(svg) if text.replace(".", "").isdigit()]
assert sum(1 for each in latency if each > 100) >= 2, "numbers at the axis of latencies"
END

printf '{\n "kind": "torus",\n "parameters": {"size": [4, 4]}\n}\n' >"$work/torus.json"
"$upwash" simulate --topology "$work/torus.json" --load 0.1 --packets 20 | shows "torus:size=4x4" ||
  fail "a topology file"
printf '{\n "kind": "torus",\n "parameters": {"size": [4, -4]}\n}\n' >"$work/torus.json"
# shellcheck disable=SC2086
"$upwash" simulate $tree --traffic multicast:fanout=2 --load 0.05 >"$work/multicast.txt"
grep -Eq '^ +0\.050 +0\.0[45]' "$work/multicast.txt" || fail "multicast: $(cat "$work/multicast.txt")"
"$upwash" simulate --topology crossbar:ports=4 --collective all_reduce --bytes 8 |
  shows -E '^ +8 +2848\.8$' || fail "an all-reduce of 8 bytes in one switch takes 2848.8 ns"
"$upwash" simulate --topology crossbar:ports=4 --exchange 1000 --traffic shift:by=1 |
  shows -E '^shift:by=1 +3\.530 ' || fail "1000 bytes through one switch take 3.53 us"
"$upwash" simulate --schedule all_gather --algorithm k_prefix:k=4 -n 16 --bytes 4096 \
  --machine lemieux >"$work/schedule.txt"
grep -Eq '^k_prefix:k=4,pacing=0 +[0-9.]+ +[0-9.]+ +[0-9]+$' "$work/schedule.txt" ||
  fail "--schedule: $(cat "$work/schedule.txt")"
"$upwash" simulate --schedule barrier --algorithm in_network -n 16 --machine edr \
  --one-rank-a-node --noise 1ms,10us,together | shows -E '^in_network +[0-9.]+ +- +[0-9]+$' ||
  fail "--algorithm in_network"
# Whole messages: the same times by any number of threads; a curve an algorithm.
for threads in 1 2; do
  "$upwash" simulate --schedule all_to_all --algorithm mesh2d --algorithm bruck -n 289 \
    --bytes 8:2k:x16 --machine lemieux --network message --threads "$threads" \
    --json "$work/messages-$threads.json" --plot "$work/messages.svg" >"$work/messages.txt"
  [[ $(grep -Ec '^(mesh2d|bruck:k=2) ' "$work/messages.txt") == 6 ]] ||
    fail "--network message: $(cat "$work/messages.txt")"
done
python3 - "$work" <<'END' || fail "--network message: JSON or SVG"
import json, sys, xml.dom.minidom
one, two = [[json.loads(line) for line in open(f"{sys.argv[1]}/messages-{threads}.json")]
            for threads in (1, 2)]
assert [row["bytes"] for row in one] == [8, 128, 2048] * 2, one
for a, b in zip(one, two):
    for key in ("completion_us", "messages", "wire_messages"):
        assert a[key] == b[key] > 0, (key, a, b)
    assert a["messages_per_s"] > 0 and 0 < a["bytes_a_rank"] < 4096, a
    assert a["messages"] == (289 * 32 if a["algorithm"] == "mesh2d" else a["messages"]), a
svg = xml.dom.minidom.parse(sys.argv[1] + "/messages.svg")
assert len(svg.getElementsByTagName("path")) == 2, "a curve an algorithm"
END
"$upwash" simulate --schedule all_to_all --algorithm direct -n 64 --bytes 4096 --machine edr \
  --one-rank-a-node --network message --contention flows --topology mesh:size=8x8 |
  shows -E '^direct +4096 ' || fail "--contention flows"
refuses "simulate: --nic-memory needs the network of packets: whole messages have no memory of a \
NIC; leave out --network message, or price it by upwash schedule --nic-memory" \
  --schedule barrier -n 4 --machine lemieux --network message --nic-memory
refuses "simulate: --contention flows: one thread only" --schedule barrier -n 4 --machine edr \
  --network message --contention flows --threads 2
refuses "simulate: --topology and --routing need --contention flows where the network is of messages" \
  --schedule barrier -n 4 --machine edr --network message --topology mesh:size=4
refuses "simulate: --bytes 8:4: expected first:last:xFACTOR as in 8:1m:x2" \
  --schedule barrier -n 4 --machine edr --network message --bytes 8:4
refuses "simulate: --bytes 8:4:x2: expected 1 <= first <= last <= 1024g and a factor of 2 or more" \
  --schedule barrier -n 4 --machine edr --network message --bytes 8:4:x2
refuses "simulate: --json, --plot, --threads and --contention go with --schedule only where it has \
--network message" --schedule barrier -n 4 --machine edr --plot "$work/no.svg"
# Virtual output queues: what is carried with and without fan-out splitting, near saturation.
voq="--topology crossbar:ports=16 --traffic multicast:fanout=4,senders=8 --load 0.21 --design input
  --input-queues 0"
# shellcheck disable=SC2086
"$upwash" simulate $voq --arbiter-rounds 4 | shows -E '^ +0\.210 +0\.2[01]' || fail "--arbiter-rounds"
# shellcheck disable=SC2086
"$upwash" simulate $voq --arbiter-rounds 4 --no-fanout-splitting | shows -E '^ +0\.210 +0\.1[78]' ||
  fail "--no-fanout-splitting"
# shellcheck disable=SC2086
refuses "network: multicasts in input-queued switches need an arbiter with rounds (arbiter_rounds, --arbiter-rounds); these are matched as they become free" $voq
refuses "simulate: --noise 1ms: expected period,length or period,length,together as in 10ms,250us" \
  --schedule barrier -n 16 --machine edr --noise 1ms
refuses "simulate: --schedule needs -n, the ranks of the team" --schedule barrier --machine edr
refuses "simulate: --topology is missing" --load 0.1
refuses "simulate: multicast needs a fat-tree, clos or crossbar, not mesh:size=4,nodes=1" \
  --topology mesh:size=4 --traffic multicast:fanout=1

refuses "topology $work/torus.json, line 3: size: -4 is not in 1 .. 67108864" \
  --topology "$work/torus.json"
refuses "topology fat-tree:ports=8: levels: the key is missing; fat-tree needs it" \
  --topology fat-tree:ports=8
refuses "simulate: --load 0.1:x:2: \"x\" is not a share of a link's rate above 0; expected 0.5, \
0.1,0.5 or first:last:step" --topology crossbar:ports=4 --load 0.1:x:2
refuses "network: 0 packets of buffer; valid are 1 to 127" \
  --topology crossbar:ports=4 --load 0.5 --buffers 0
refuses "traffic: transpose needs a power of two of nodes, not 5" \
  --topology crossbar:ports=5 --traffic transpose
refuses "cannot write $work/no/such/file: No such file or directory" \
  --topology crossbar:ports=4 --load 0.1 --packets 10 --json "$work/no/such/file"
