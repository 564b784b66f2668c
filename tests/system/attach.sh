#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Attaching: under the own launcher, by rank, size and job id given by hand, and alone.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
program=$UPWASH_TEST_BIN/attached
out=$work
export UPWASH_CONFIG=
evidence=("$out")

# stands JOB: the shared-memory object of this job is there; other jobs on the machine have theirs
stands() { compgen -G "/dev/shm/upwash-*-$1-*" >/dev/null; }

"$UPWASH_TEST_BIN/upwash" run -n 3 "$program" | sort >"$out/launched"
[[ $(cat "$out/launched") == "rank 0 of 3: sum 3
rank 1 of 3: sum 3
rank 2 of 3: sum 3" ]] || fail "under upwash run"

pids=()
for rank in 0 1 2 3; do
  UPWASH_RANK=$rank UPWASH_SIZE=4 UPWASH_JOB_ID=attach-test-$$ "$program" >"$out/by-hand.$rank" 2>&1 &
  pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid" || fail "by hand: a rank ended with status $?"; done
for rank in 0 1 2 3; do
  grep -qx "rank $rank of 4: sum 6" "$out/by-hand.$rank" || fail "by hand: rank $rank"
done
if stands "attach-test-$$"; then fail "a shared-memory object stayed"; fi

# Whoever has attached, or has a team, is done with it: it may compute, or wait for the others
# elsewhere, as in a barrier of MPI, and answers nobody any more.
for size in 2 3 4 5 6 7 8; do
  pids=()
  for ((rank = 0; rank < size; ++rank)); do
    UPWASH_RANK=$rank UPWASH_SIZE=$size UPWASH_JOB_ID=silent-$$-$size timeout 60 \
      "$UPWASH_TEST_BIN/silent" "$out/marks.$size" >"$out/silent.$size.$rank" 2>&1 &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid" || fail "silent ranks of $size: status $?"; done
  for ((rank = 0; rank < size; ++rank)); do
    [[ $(cat "$out/silent.$size.$rank") == "rank $rank of $size: left all" ]] || fail "silent $rank"
  done
done

[[ $("$program") == "rank 0 of 1: sum 0" ]] || fail "alone"

# A rank that ends the job: its status, one line, and what it has printed.
status=0
"$UPWASH_TEST_BIN/upwash" run -n 3 "$program" 7 >"$out/ended" 2>"$out/ended.err" || status=$?
[[ $status == 7 ]] || fail "a rank that ends the job: status $status"
[[ $(cat "$out/ended.err") == "upwash: rank 2: it is enough; job ended" ]] ||
  fail "a rank that ends the job: its line"
grep -q "last words" "$out/ended" || fail "a rank that ends the job: its output"
status=0
"$program" 5 >"$out/ended" 2>"$out/ended.err" || status=$?
[[ $status == 5 ]] || fail "ending alone: status $status"
[[ $(cat "$out/ended.err") == "upwash: it is enough" ]] || fail "ending alone: its line"

# Half a job: the missing rank is named, nobody hangs.
status=0
UPWASH_RANK=0 UPWASH_SIZE=2 UPWASH_JOB_ID=half-$$ UPWASH_START_TIMEOUT=1s "$program" \
  >"$out/half" 2>&1 || status=$?
[[ $status == 1 ]] || fail "half a job ended with status $status"
grep -q "start_timeout" "$out/half" || fail "half a job does not name the knob"
if stands "half-$$"; then fail "half a job left a shared-memory object"; fi
# A child that a rank forks is no rank, however it ends.
for how in "exit" "return" "throw" "exit run" "return run" "throw run"; do
  # shellcheck disable=SC2086  # two words
  timeout 60 "$UPWASH_TEST_BIN/upwash" run -n 3 "$UPWASH_TEST_BIN/forked" $how \
    >"$out/forked" 2>"$out/forked.err" || fail "forked $how: status $?"
  [[ $(sort "$out/forked" | uniq -c | tr -s ' ') == " 3 rank 0: sum 3
 3 rank 1: sum 3
 3 rank 2: sum 3" ]] || fail "forked $how"
done
# A rank that throws past its job, and lives: the others are told, and what it says comes through.
deserted='^upwash: rank 2: an exception went past its attached job, which it left; job ended$'
for how in "" quietly; do
  status=0
  # shellcheck disable=SC2086  # or none
  timeout 60 "$UPWASH_TEST_BIN/upwash" run -n 3 "$UPWASH_TEST_BIN/deserting" $how \
    >"$out/deserted" 2>&1 || status=$?
  [[ $status == 1 ]] || fail "deserting $how: status $status"
  grep -qx "caught: out of luck" "$out/deserted" || fail "deserting $how: its own line"
  [[ $(grep -c '^upwash: ' "$out/deserted") == 1 ]] || fail "deserting $how: not one line"
  grep -qE "$deserted" "$out/deserted" || fail "deserting $how: the line"
done
pids=()
for rank in 0 1 2; do
  UPWASH_RANK=$rank UPWASH_SIZE=3 UPWASH_JOB_ID=desert-$$ timeout 60 "$UPWASH_TEST_BIN/deserting" \
    >"$out/desert.$rank" 2>&1 &
  pids+=($!)
done
for rank in 0 1; do
  status=0
  wait "${pids[rank]}" || status=$?
  [[ $status == 1 ]] || fail "deserting, by hand: rank $rank ended with status $status"
done
kill "${pids[2]}"
wait "${pids[2]}" || true
grep -qE "$deserted" "$out/desert.2" || fail "deserting, by hand: the line"
# What a rank starts is a job of its own, and has nothing of the rank's.
nested=$UPWASH_TEST_BIN/nested
inner="inner 0 of 1
inner 0 of 1
outer 0 of 2
outer 1 of 2"
"$UPWASH_TEST_BIN/upwash" run -n 2 "$nested" >"$out/nested" || fail "nested: status $?"
[[ $(sort "$out/nested") == "$inner" ]] || fail "nested, under upwash run"
pids=()
for rank in 0 1; do
  UPWASH_RANK=$rank UPWASH_SIZE=2 UPWASH_JOB_ID=nested-$$ UPWASH_START_TIMEOUT=2s "$nested" \
    >"$out/nested.$rank" 2>&1 &
  pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid" || fail "nested, by hand: status $?"; done
[[ $(sort "$out"/nested.[01]) == "$inner" ]] || fail "nested, by hand"
status=0
"$UPWASH_TEST_BIN/upwash" run -n 2 "$nested" twice >"$out/twice" 2>&1 || status=$?
[[ $status == 2 ]] || fail "a second job in one process: status $status"
grep -q '^upwash: this process has left its job: ' "$out/twice" || fail "a second job in one process"
# No room for the job's own object: named, and nothing is left. Needs a mount of one's own.
if unshare -m true 2>/dev/null; then
  program=$program unshare -m bash -c '
    mount -t tmpfs -o size=4k tmpfs /dev/shm && dd if=/dev/zero of=/dev/shm/fill bs=4k count=1
    UPWASH_RANK=0 UPWASH_SIZE=2 UPWASH_JOB_ID=full "$program"
    echo "status $?"
    ls /dev/shm' >"$out/full" 2>&1
  grep -q "No space left on device" "$out/full" || fail "a full /dev/shm is not named"
  grep -qx "status 1" "$out/full" || fail "a full /dev/shm: status"
  if grep -q "^upwash-" "$out/full"; then fail "a full /dev/shm: a name stayed"; fi
fi
echo "attach: ok"
