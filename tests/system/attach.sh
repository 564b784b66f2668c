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

[[ $("$program") == "rank 0 of 1: sum 0" ]] || fail "alone"

# Half a job: the missing rank is named, nobody hangs.
status=0
UPWASH_RANK=0 UPWASH_SIZE=2 UPWASH_JOB_ID=half-$$ UPWASH_START_TIMEOUT=1s "$program" \
  >"$out/half" 2>&1 || status=$?
[[ $status == 1 ]] || fail "half a job ended with status $status"
grep -q "start_timeout" "$out/half" || fail "half a job does not name the knob"
if stands "half-$$"; then fail "half a job left a shared-memory object"; fi
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
