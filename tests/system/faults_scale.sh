#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# 64 ranks on one machine: they start, within 200 MiB of memory in all, and end at once.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
limit_kib=$((200 * 1024))
evidence=("$work/err")

UPWASH_TEST_ROLE=wait "$UPWASH_TEST_BIN/upwash" run -n 64 "$UPWASH_TEST_BIN/unit_tests" \
  '--gtest_filter=launched_rank.*' --gtest_also_run_disabled_tests --gtest_brief=1 \
  >"$work/out" 2>"$work/err" &
launcher=$!
for _ in $(seq 1500); do
  [[ $(grep -c '^talking' "$work/out") == 64 ]] && break
  sleep 0.02
done
[[ $(grep -c '^talking' "$work/out") == 64 ]] || fail "64 ranks did not start"
total=0
for pid in $(pgrep -P "$launcher"); do
  part=$(awk '/^Pss:/ { print $2 }' "/proc/$pid/smaps_rollup")
  total=$((total + part))
done
kill -TERM "$launcher"
wait "$launcher" 2>/dev/null
((total > 0 && total <= limit_kib)) || fail "64 ranks take $total KiB, at most $limit_kib expected"
echo "faults_scale: 64 ranks take $total KiB"
