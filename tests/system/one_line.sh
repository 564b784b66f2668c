#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Whatever ends a job, and however many ranks see it: exactly one line of upwash says why. Bad
# input gives this line only, and status 2; a fault may show recent log lines before it, status 1.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
bin=$UPWASH_TEST_BIN
export UPWASH_CONFIG=

# refuses LINE COMMAND...: bad input; LINE is a pattern of the whole output.
refuses() {
  local line=$1 status=0 seen
  shift
  seen=$("$@" 2>&1) || status=$?
  [[ $status == 2 ]] || fail "'$*' ended with status $status: $seen"
  [[ $(wc -l <<<"$seen") == 1 && $seen =~ ^upwash:\ $line$ ]] || fail "'$*' said: $seen"
}

# faults LINE COMMAND...: a fault; LINE is a pattern of the one line.
faults() {
  local line=$1 status=0 seen
  shift
  seen=$("$@" 2>&1) || status=$?
  [[ $status == 1 ]] || fail "'$*' ended with status $status: $seen"
  [[ $(grep -c '^upwash: ' <<<"$seen") == 1 ]] || fail "'$*' said more than one line: $seen"
  [[ $(tail -n 1 <<<"$seen") =~ ^upwash:\ $line$ ]] || fail "'$*' said: $seen"
  # What is not the line is the log's, of the one rank that failed.
  grep -v '^upwash: ' <<<"$seen" | grep -vq '^upwash.* [a-z]*: ' && fail "'$*' said: $seen"
  [[ $(grep -c ' runtime: ' <<<"$seen") == 1 ]] || fail "'$*' shows the log of several: $seen"
}

printf '{\n  "name": 3,\n' >"$work/bad.json"
unknown='unknown machine "nowhere".*frontera.*'
malformed="$work/bad.json, line 3: not JSON: .*"
refuses "$unknown" "$upwash" run -n 4 --conduit sim --machine nowhere "$bin/throwing"
refuses "$unknown" env UPWASH_CONDUIT=sim UPWASH_MACHINE=nowhere "$bin/throwing"
refuses "$malformed" "$upwash" run -n 4 --conduit sim --machine "$work/bad.json" "$bin/throwing"
refuses "$malformed" env UPWASH_CONDUIT=sim UPWASH_MACHINE="$work/bad.json" "$bin/throwing"
refuses "shm_ring_lines=9: expected .*" \
  "$upwash" run -n 4 --knob shm_ring_lines=9 "$bin/throwing"
refuses "unknown variable UPWASH_FROB .*" "$upwash" run -n 4 --knob frob=9 "$bin/throwing"
refuses "rank 3: send to rank 4 of 4; .*; job ended" "$upwash" run -n 4 "$bin/throwing" argument
for conduit in shm sim; do
  faults "rank 3: .*stream 1: the handler of item 8 threw: out of luck.*; job ended" \
    "$upwash" run -n 4 --conduit "$conduit" "$bin/throwing" stream
done
refuses "rank 3: send to rank 4 of 4; .*; job ended" \
  "$upwash" run -n 4 --ranks-per-process 2 "$bin/throwing" argument
refuses "rank 3: send to rank 4 of 4; .*; job ended" \
  "$upwash" run -n 4 --conduit sim "$bin/throwing" argument

for options in "" "--ranks-per-process 2" "--conduit sim"; do
  # shellcheck disable=SC2086
  faults "rank 3: the program threw: out of luck; job ended" \
    "$upwash" run -n 4 $options "$bin/throwing" body
  # shellcheck disable=SC2086
  faults "rank 3: handler .*explode of a message from rank 0 threw: out of luck.*; job ended" \
    "$upwash" run -n 4 $options "$bin/throwing" handler
done
faults "the program threw: out of luck" "$bin/throwing" body
faults "the program threw: out of luck" "$upwash" run -n 1 "$bin/throwing" body

# Ranks that end properly have said themselves why their status is not 0.
status=0
seen=$("$upwash" run -n 4 "$bin/throwing" status 2>&1) || status=$?
[[ $status == 5 && -z $seen ]] || fail "a status after a good end: $status, $seen"
echo "one_line: ok"
