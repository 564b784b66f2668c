#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Whatever ends a job, and however many ranks see it: exactly one line of upwash says why. Bad
# input has status 2, a fault 1.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
bin=$UPWASH_TEST_BIN
export UPWASH_CONFIG=

# says STATUS LINE COMMAND...: ends so; LINE is a pattern of all that it says.
says() {
  local wanted=$1 line=$2 status=0 seen
  shift 2
  seen=$("$@" 2>&1) || status=$?
  [[ $status == "$wanted" ]] || fail "'$*' ended with status $status: $seen"
  [[ $(wc -l <<<"$seen") == 1 && $seen =~ ^upwash:\ $line$ ]] || fail "'$*' said: $seen"
}
refuses() { says 2 "$@"; }
faults() { says 1 "$@"; }

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
# Before the first call of the collective.
refuses 'broadcast: unknown algorithm "knomal"; did you mean knomial\? .*' \
  env UPWASH_ALGORITHMS=broadcast=knomal "$upwash" run -n 2 "$bin/printing" 0
refuses 'unknown collective "brodcast".*' \
  env UPWASH_ALGORITHMS=brodcast=knomial "$upwash" run -n 2 "$bin/printing" 0
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
# With operations in flight, too, which the others will never complete.
for options in "" "--ranks-per-process 2" "--conduit sim" "--conduit sim --ranks-per-process 4"; do
  for how in receiving sending collective; do
    # shellcheck disable=SC2086
    faults "rank 3: the program threw: out of luck; job ended" \
      timeout 60 "$upwash" run -n 4 $options "$bin/throwing" "$how"
  done
  # shellcheck disable=SC2086
  faults "rank 3: an exception went past an operation in flight: send .*; job ended" \
    timeout 60 "$upwash" run -n 4 $options "$bin/throwing" caught
  # shellcheck disable=SC2086
  faults "rank 3: the program threw a value of type int, which is no .*; job ended" \
    "$upwash" run -n 4 $options "$bin/throwing" value
done
# What comes for it then is written nowhere.
faults "rank 3: an exception went past an operation in flight: all_gather .*; job ended" \
  "$upwash" run -n 4 --conduit sim "$bin/throwing" left
faults "the program threw: out of luck" "$bin/throwing" body
faults "the program threw: out of luck" "$upwash" run -n 1 "$bin/throwing" body

# A simulated rank's stack is small: whoever overflows it is told how to have more.
for options in "--ranks-per-process 4 --knob stack_bytes=256k" "--conduit sim"; do
  status=0
  # shellcheck disable=SC2086
  seen=$("$upwash" run -n 4 $options "$bin/overflowing" 2>&1) || status=$?
  [[ $status == 139 ]] || fail "an overflow: status $status: $seen"
  grep -q '^upwash: rank 3 needs more stack than the [0-9]* KiB it has; .*UPWASH_STACK_BYTES' \
    <<<"$seen" || fail "an overflow: $seen"
  # shellcheck disable=SC2086
  "$upwash" run -n 4 $options --knob stack_bytes=16m "$bin/overflowing" >/dev/null ||
    fail "an overflow, with more stack: status $?"
done

# So is one that has a process of its own.
status=0
seen=$(ulimit -s 1024 && "$upwash" run -n 4 "$bin/overflowing" 2>&1) || status=$?
[[ $status == 139 ]] || fail "an overflow of a process's stack: status $status: $seen"
grep -q '^upwash: rank 3 needs more stack than the [0-9]* KiB its process has; .*ulimit -s' \
  <<<"$seen" || fail "an overflow of a process's stack: $seen"
(ulimit -s 16384 && "$upwash" run -n 4 "$bin/overflowing" >/dev/null) ||
  fail "no overflow of a process's stack: status $?"

# Ranks that end properly have said themselves why their status is not 0.
status=0
seen=$("$upwash" run -n 4 "$bin/throwing" status 2>&1) || status=$?
[[ $status == 5 && -z $seen ]] || fail "a status after a good end: $status, $seen"
# The kernel hides the processes of a program that their user may execute only.
nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
if "${nobody[@]}" "$upwash" --version >/dev/null 2>&1; then
  chmod 755 "$work"
  install -m 711 "$bin/printing" "$work/printing"
  faults "(rank . |)cannot reach a peer's memory by .*: the kernel hides the processes of programs that their user may not read \(mode 711\).*" \
    "${nobody[@]}" "$upwash" run -n 2 "$work/printing" 1
else
  echo "one_line: a program of mode 711: skipped: not root"
fi
echo "one_line: ok"
