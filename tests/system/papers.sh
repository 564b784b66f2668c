#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# docs/papers.md keeps to its legend: known states, commands where something is said to be shown,
# tests that exist, and quick commands that print the numbers beside them.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"

check() { python3 tests/system/lib/papers.py "$1" "$UPWASH_TEST_BUILD" "${@:2}" >"$work/seen" 2>&1; }

# The check can fail: a small document with one defect each.
broken() {
  local expected=$1
  printf '| item | what it shows | shown by | expected | state |\n|---|---|---|---|---|\n%s\n' \
    "$2" >"$work/docs/broken.md"
  ! check "$work/docs/broken.md" || fail "passes: $2"
  grep -qF "$expected" "$work/seen" || fail "expected '$expected', not: $(cat "$work/seen")"
}
mkdir -p "$work/docs" "$work/data"
broken "'nearly' is no state" "| a | b | \`upwash version\` | c | nearly |"
broken "done, but names no command" "| a | b | \`upwash/model/\` | c | done |"
broken "names no test" "| a | b | \`ctest -R no_such_test\` | c | done |"
broken "ended with 2" "| a | b | \`upwash schedule barrier --algorithm dissemination\` | c | done |"
broken "does not print '63 messages'" \
  "| a | b | \`upwash schedule broadcast --algorithm flat -n 16\` -> \`63 messages\` | c | done |"
broken "an arrow stands behind a command" "| a | b | \`ctest -R unit\` -> \`7\` | c | done |"
broken "a row has five cells" "| a | b | c | done |"

# Under sanitizers the commands take too long.
grep -q '^UPWASH_SANITIZE:STRING=.' "$UPWASH_TEST_BUILD/CMakeCache.txt" && set -- --no-run
check docs/papers.md "$@" || fail "$(cat "$work/seen")"
