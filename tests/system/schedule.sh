#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# upwash schedule: lists, steps, counts, prices, JSON and drawings; bad input is one line, status 2.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
export UPWASH_CONFIG=

refuses() { refused "$1" "$upwash" schedule "${@:2}"; }

# shows PATTERN ARGUMENT...: a line of the output matches.
shows() {
  local pattern=$1
  shift
  "$upwash" schedule "$@" >"$work/out" || fail "'$*' failed"
  grep -Eq -- "$pattern" "$work/out" || fail "'$*' did not show $pattern: $(head -n 40 "$work/out")"
}

refuses "schedule: -n is missing: the ranks of the team" barrier --algorithm dissemination
refuses "broadcast: unknown algorithm \"knomal\"; did you mean knomial? (known: $(
  "$upwash" schedule broadcast | grep -o '^[a-z][a-z0-9_]*' | paste -sd, | sed 's/,/, /g'))" \
  broadcast --algorithm knomal -n 3
refuses "knomial: k=1 is not in 2 .. 2147483647 (radix of the tree)" \
  broadcast --algorithm knomial:k=1 -n 3
refuses "schedule: ring needs a commutative operator" all_reduce --algorithm ring -n 3 --ordered
"$upwash" schedule barrier --algorithm dissemination -n 1000 --svg >"$work/many.svg" || fail "a drawing of 1,000 ranks"
grep -q '>ranks 0-15</text>' "$work/many.svg" || fail "16 ranks share a line"
(($(grep -c '<path' "$work/many.svg") < 1500)) || fail "what goes between two lines in a round is one arrow"
refuses "schedule: choose one of --text, --json, --svg, --html" \
  barrier --algorithm dissemination -n 2 --svg --json
refuses "schedule: --machine needs -n: a price is one for a team" barrier --machine edr
refuses "schedule: --svg, --html and --rank need --algorithm" barrier --svg
refuses "schedule: --bytes 2048g is more than 1024g: times would not fit" \
  neighbor_all_gather --graph complete -n 4 --bytes 2048g
refuses "schedule: --scheme best needs --machine: it is the best by price there" \
  neighbor_all_gather --graph complete -n 4 --scheme best

shows "^dissemination" barrier
shows "complete after" barrier --algorithm dissemination -n 2 --machine edr --mechanism matched
shows "k: radix of the tree; 2 .. 2147483647" broadcast
shows "source: Nishtala" broadcast
shows "on edr, processors busy for .* us at most \(.* ranks" all_reduce -n 128 --machine edr --free-work
shows "send output\[0..100\) to 3, edge 0, placed" \
  broadcast --algorithm knomial:k=3 -n 5 --bytes 100
shows "its coroutine takes [1-9][0-9]* bytes; a step waits for one of the [1-9]" \
  broadcast --algorithm knomial:k=3 -n 5 --bytes 100
shows "^all 5 ranks: 4 messages, 400 bytes sent" broadcast --algorithm knomial:k=3 -n 5 --bytes 100
shows "^on lemieux: complete after .* us; processors busy for .* \(4 ranks stand for all 1000000\)" \
  barrier --algorithm dissemination -n 1000000 --machine lemieux
refuses "schedule: --degree 65 is not in 0 .. 64, the ranks" \
  many_to_many --algorithm sparse -n 64 --degree 65
# Irregular collectives, with equal lengths: the bytes of the regular one.
shows "^all 27 ranks: 162 messages, 145800 bytes sent" all_to_all --algorithm mesh3d -n 27 --bytes 100
shows "^all 27 ranks: 162 messages, 145800 bytes sent" all_to_all_v --algorithm mesh3d -n 27 --bytes 100
shows "^all 30 ranks: 870 messages, 87000 bytes sent" all_to_all_v --algorithm direct -n 30 --bytes 100
shows "^on lemieux: complete after" all_to_all_v --algorithm mesh2d -n 30 --bytes 9k --machine lemieux
shows "^copies take no time here: lemieux gives no cost for them" \
  all_to_all_v --algorithm mesh2d -n 30 --machine lemieux
shows "^copies take no time here: lemieux gives no cost for them" \
  neighbor_all_gather --graph moore:d=2,r=1 -n 16 --machine lemieux
shows "^best: doubling  *6.00 .* 271.04$" \
  neighbor_all_gather --graph moore:d=3,r=1 -n 64 --bytes 8 --machine lemieux --scheme best
shows '"scheme":"best",.*"chosen":"node_pairs"' neighbor_all_gather \
  --graph moore:d=2,r=4 -n 256 --ranks-per-node 16 --bytes 8 --machine edr --scheme best --json
shows '"without_cost":"copies"' all_to_all --algorithm mesh2d -n 30 --machine lemieux --json
shows "send input\[100..200\) to 1, edge 0, acknowledged" \
  many_to_many --algorithm sparse -n 64 --bytes 100 --degree 5 --rank 63
# Five messages of 100 bytes each and six rounds of a barrier.
shows "^all 64 ranks: 704 messages, 32000 bytes sent" \
  many_to_many --algorithm sparse -n 64 --bytes 100 --degree 5 --machine lemieux
# Combined: a message to each of the row and the column, whatever the degree; a byte twice at most.
shows "^all 64 ranks: 896 messages, 44000 bytes sent" \
  many_to_many --algorithm mesh2d -n 64 --bytes 100 --degree 5 --machine lemieux
shows "^all 64 ranks: 384 messages, 0 bytes sent" \
  many_to_many --algorithm hypercube -n 64 --bytes 100 --degree 0
shows "deliver .* as a message from 4" \
  many_to_many_multicast --algorithm mesh2d -n 9 --bytes 10 --degree 4 --rank 5
shows "close edge 0 after 5 messages" many_to_many --algorithm direct -n 64 --degree 5
shows "us on lemieux" many_to_many -n 2048 --degree 512 --bytes 76 --machine lemieux
# A barrier copies nothing, and the machine has one kind of costs: the same price.
for options in "" "--combining" "--costs loggp"; do
  # shellcheck disable=SC2086
  shows "^on edr: complete after 0.224 us" \
    barrier --algorithm dissemination -n 16 --machine edr $options
done
[[ $("$upwash" schedule broadcast --algorithm knomial -n 4000 --bytes 9 --rank 7 |
  grep -c '^rank 7') == 2 ]] || fail "--rank"

python3 - "$upwash" <<'PYTHON' || fail "--json and --svg"
import json, subprocess, sys
import xml.dom.minidom
def schedule(*arguments):
    return subprocess.run([sys.argv[1], "schedule", *arguments], check=True, capture_output=True,
                          text=True).stdout
lines = [json.loads(line) for line in
         schedule("scan", "--algorithm", "doubling", "-n", "8", "--bytes", "64", "--machine",
                  "edr", "--free-work", "--json").splitlines()]
assert [line["rank"] for line in lines] == list(range(8)), lines
assert lines[0]["messages"] == 3 and lines[0]["bytes"] == 192 and lines[7]["messages"] == 0, lines
assert all(0 < line["cpu_ns"] <= line["completion_ns"] for line in lines), lines
assert [len(line["steps"]) for line in lines][0] == 4, lines[0]
many = json.loads(schedule("all_to_all", "--algorithm", "direct", "-n", "2000", "--json").splitlines()[0])
assert "steps" not in many and "--rank" in many["steps_left_out"], "steps of many"
one = schedule("barrier", "--algorithm", "dissemination", "-n", "1024", "--rank", "9", "--json")
line = json.loads(one)
steps = line.pop("steps")
assert line == {"rank": 9, "messages": 10, "bytes": 0, "rounds": 10}, one
assert len(steps) == 20, one
assert steps[2] == {"kind": "send", "round": 1, "peer": 11, "bytes": 0}, one
for more in [], ["--machine", "lemieux", "--free-work"]:
    drawn = schedule("all_reduce", "--algorithm", "ring", "-n", "6", "--bytes", "60", "--svg", *more)
    document = xml.dom.minidom.parseString(drawn)
    assert len(document.getElementsByTagName("path")) >= 6 * 10, drawn
PYTHON

# What it says jobs choose is what they choose, and how edges travel: of the example's all-gather.
same() {  # same CONDUIT RANKS MACHINE OPTION...
  local conduit=$1 ranks=$2 machine=$3 asked job
  shift 3
  asked=$("$upwash" schedule all_gather -n "$ranks" --bytes 8000 --element 8 --machine "$machine" \
    --conduit "$conduit" "$@" | sed -n 's/^jobs choose //p')
  job=$("$upwash" run --conduit "$conduit" --knob "machine=$machine" -n "$ranks" --knob tune_log=1 \
    --knob tuning=none "$UPWASH_TEST_BIN/02_all_gather" 2>&1 |
    sed -n 's/.*all_gather of 8000 bytes among [0-9]* ranks: \([^;]*\);.*/\1/p')
  [[ -n $asked && $asked == "$job" ]] || fail "jobs on $conduit choose '$job', not '$asked'"
}
same sim 4 laptop
same sim 16 edr
same sim 100 edr
same shm 2 laptop --direct
same shm 4 edr --direct
for conduit in shm sim; do
  shows "^edges of up to 1024 bytes travel eagerly, by prices on edr" \
    all_gather -n 16 --machine edr --conduit $conduit
done
shows "^edges of up to 600 bytes travel eagerly, as asked for" \
  all_gather --algorithm ring:eager=600 -n 4 --machine edr
shows "^edges travel by rendezvous where they can, as asked for" \
  all_gather --algorithm ring -n 4 --machine edr --mechanism rendezvous
# A broadcast is in place, so it copies nothing.
shows "^rank 0: 1 messages, 100 bytes sent; 0 bytes copied" \
  broadcast --algorithm flat -n 2 --bytes 100
# Steps that nobody can wait for.
shows "^rank 0: not counted, more than 100000000 steps; ask for fewer ranks" \
  all_to_all --algorithm direct -n 1073741824
echo "schedule: works"
