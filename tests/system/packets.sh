#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Whole programs on a simulated network of packets: results as elsewhere, the same for the same seed,
# collectives by the switches where they have them; bad settings are one line that says what to do.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
bin=$UPWASH_TEST_BIN
export UPWASH_CONFIG=

# refuses MESSAGE OPTION...: 8 ranks with these options; exactly this line, status 2.
refuses() { refused "$1" "$upwash" run -n 8 "${@:2}" "$bin/02_all_gather"; }

for options in "--machine edr" "--machine edr:ranks_a_node=1 --perturb --seed 5" \
  "--machine lemieux --topology torus:size=4x4"; do
  # shellcheck disable=SC2086
  seen=$("$upwash" run -n 64 --conduit sim $options --network packet "$bin/02_all_gather")
  [[ $seen == "64 ranks, agreed" ]] || fail "$options: $seen"
done

fft="$bin/fft3d --class S --mflops 1000"
# shellcheck disable=SC2086
one=$("$upwash" run -n 16 --conduit sim --machine edr:ranks_a_node=1 --network packet $fft)
# shellcheck disable=SC2086
same=$("$upwash" run -n 16 --conduit sim --machine edr:ranks_a_node=1 --network packet $fft)
[[ $one == "$same" ]] || fail "the same seed gave another run: $one, then $same"
grep -q '^verified: yes' <<<"$one" || fail "fft3d: $one"
# shellcheck disable=SC2086
narrow=$("$upwash" run -n 16 --conduit sim --machine edr:ranks_a_node=1 --network packet \
  --topology fat-tree:ports=8,levels=2,taper=4 $fft)
time_of() { sed -n 's/^time: \([0-9.]*\) ms.*/\1/p' <<<"$1"; }
python3 -c "import sys; sys.exit(not $(time_of "$narrow") > $(time_of "$one"))" ||
  fail "a tapered tree is not slower: $(time_of "$narrow") against $(time_of "$one") ms"

forced="all_reduce=in_network;barrier=in_network"
seen=$(UPWASH_ALGORITHMS=$forced "$upwash" run -n 16 --conduit sim \
  --machine edr:ranks_a_node=1 --network packet --knob tune_log=1 "$bin/02_all_gather" 2>&1)
grep -q 'all_reduce of 8 bytes among 16 ranks: in_network; why: it was asked for' <<<"$seen" ||
  fail "in_network: $seen"
grep -q '^16 ranks, agreed' <<<"$seen" || fail "in_network: $seen"

# shellcheck disable=SC2086
noisy=$("$upwash" run -n 16 --conduit sim --machine edr:ranks_a_node=1 --network packet \
  --knob noise=1ms,100us $fft)
python3 -c "import sys; sys.exit(not $(time_of "$noisy") > 1.1 * $(time_of "$one"))" ||
  fail "daemons cost nothing: $(time_of "$noisy") against $(time_of "$one") ms"

# A program's traffic, recorded and sent again, also through another network.
"$upwash" run -n 16 --conduit sim --machine edr:ranks_a_node=1 --network packet \
  --record-traffic "$work/trace" "$bin/02_all_gather" >/dev/null
for network in fat-tree:ports=36,nodes=16 mesh:size=16; do
  "$upwash" simulate --topology $network --machine edr --traffic "trace:file=$work/trace" \
    --json "$work/$network.json" >"$work/table"
  [[ $(wc -l <"$work/table") == 3 ]] || fail "a trace: $(cat "$work/table")"
done
python3 - "$work" <<'PYTHON' || fail "traces as JSON"
import json, sys
tree, mesh = (json.load(open(f"{sys.argv[1]}/{name}.json"))
               for name in ("fat-tree:ports=36,nodes=16", "mesh:size=16"))
assert tree["messages"] == mesh["messages"] > 16 and tree["bytes"] == mesh["bytes"], (tree, mesh)
assert tree["last_sent_ns"] == mesh["last_sent_ns"] < mesh["last_arrived_ns"], (tree, mesh)
assert mesh["latency_avg_ns"] > tree["latency_avg_ns"], (tree, mesh)
PYTHON
printf '0 0 1 8\n0 0 16 8\n' >"$work/wrong"
status=0
seen=$("$upwash" simulate --topology torus:size=4x4 --traffic "trace:file=$work/wrong" 2>&1) ||
  status=$?
[[ $status == 2 && $seen == "upwash: trace $work/wrong, line 2: destination: \"16\" is not in 0 .. 15" ]] ||
  fail "a wrong trace ended with status $status: $seen"

sim=(--conduit sim --machine edr)
refuses "noise = 1ms: expected period,length or period,length,together as in 10ms,250us" \
  "${sim[@]}" --knob noise=1ms
refuses "--machine, --network, --topology, --record-traffic, --seed and --perturb need --conduit sim" --network packet
refuses 'UPWASH_NETWORK: "pigeon" is not one of message|packet' \
  "${sim[@]}" --network pigeon
refuses "network = packet: only conduit sim does that, this job's is shm" --knob network=packet
refuses "topology = mesh:size=4: messages have no topology; set network to packet, or topology to nothing" \
  "${sim[@]}" --topology mesh:size=4
refuses "network = packet: crossbar:ports=4 has 4 nodes, 8 ranks of lemieux:ranks_a_node=1 need 8: run fewer ranks, or set topology to a larger network" \
  --conduit sim --machine lemieux:ranks_a_node=1 --network packet --topology crossbar:ports=4
refuses "topology of machine frontera: there is none in its file; give one (--topology, UPWASH_TOPOLOGY)" \
  --conduit sim --machine frontera --network packet
refuses "machine edr: ranks_a_node=41: a node has room for 1 to 40" \
  --conduit sim --machine edr:ranks_a_node=41
refuses "machine edr: ranks_a_node=x: a number is wanted" --conduit sim --machine edr:ranks_a_node=x
refuses "machine laptop: ranks_a_node=1: it is one node" --conduit sim --machine laptop:ranks_a_node=1
