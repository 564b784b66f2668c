#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Messages that nobody received, receives that came too late and handlers that throw: the run ends
# with an error that says which. The first three in checked runs, as conflicts of puts on sim.
# Messages received as another type and streams opened in different orders, in checked runs.
# An operator that throws ends the job on each conduit, although the program catches.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
program=$UPWASH_TEST_BIN/faulty
out=$work/out
evidence=("$out")

# expect CASE PATTERN: on both conduits
expect() {
  for where in "--conduit shm" "--conduit sim"; do
    # shellcheck disable=SC2086  # two words
    UPWASH_CHECKED=1 timeout 30 "$upwash" run $where -n 3 "$program" "$1" >"$out" 2>&1 &&
      fail "$1 on $where: no error"
    grep -qE "$2" "$out" || fail "$1 on $where: expected '$2'"
  done
}

expect unreceived \
  'rank 1: a message of 4 bytes with tag 9 from member 0 was not received before the job ended'
expect released \
  'rank 1: a message of 4 bytes with tag 9 from member 0 was not received when its team was released'
expect ready 'a ready message of 100000 bytes with tag 9 from member 0 found no receive posted'
expect error 'rank 1: stream 1: the handler of item 18 threw: .*a bad item'
expect number 'rank 1: stream 1: the handler of item 18 threw: something that is no std::exception'
expect type 'rank 1: receive of tag 9 from member 0 \(faulty.cpp:[0-9]+\): the message holds int32, the receive wants float32'
expect half 'rank 1: receive of tag 9 from member 0 \(faulty.cpp:[0-9]+\): the message has 4 bytes, the receive wants one value of 8 bytes \(float64\)'
expect order 'stream 1 of team .* has opened a stream of int at faulty.cpp:[0-9]+, but .* has opened a stream of double at faulty.cpp:[0-9]+; open the streams'
for where in "--conduit shm" "--conduit sim" "--conduit shm --ranks-per-process 3"; do
  # shellcheck disable=SC2086  # several words
  timeout 30 "$upwash" run $where -n 3 "$program" operator >"$out" 2>&1 &&
    fail "operator on $where: no error"
  grep -q 'the operator of a reduction threw: the sum is too large' "$out" ||
    fail "operator on $where: no line of the operator"
done
UPWASH_CHECKED=1 timeout 30 "$upwash" run --conduit sim -n 3 "$program" conflict >"$out" 2>&1 &&
  fail "conflict: no error"
grep -q 'ranks [12] and [12] write bytes 12 to 16 of the 64 that rank 0 has' "$out" ||
  fail "conflict: expected ranks and bytes"
timeout 30 "$upwash" run --conduit sim -n 3 "$program" conflict >"$out" 2>&1 ||
  fail "conflict: an error unchecked"
timeout 30 "$upwash" run -n 3 "$program" half >"$out" 2>&1 && fail "half: no error unchecked"
for case in none unreceived released type; do
  timeout 30 "$upwash" run -n 3 "$program" "$case" >"$out" 2>&1 || fail "$case: an error unchecked"
done
echo "faulty: checked"
