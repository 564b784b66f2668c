#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Each example on 4 ranks prints its expected.txt; the listing in the README is the example.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

for folder in "$root"/examples/*/; do
  name=$(basename "$folder")
  diff "$folder/expected.txt" \
    <("$UPWASH_TEST_BIN/upwash" run -n 4 "$UPWASH_TEST_BIN/$name") || fail "$name prints otherwise"
done

# The program's own algorithm is chosen by its name, as upwash's own are.
own=$UPWASH_TEST_BIN/05_own_collective
UPWASH_ALGORITHMS=all_reduce=once_round UPWASH_TUNE_LOG=1 "$upwash" run -n 4 "$own" >"$work/out" \
  2>"$work/told" || fail "05_own_collective with its algorithm"
diff "$root/examples/05_own_collective/expected.txt" "$work/out" || fail "once_round: another sum"
grep "all_reduce.*once_round" "$work/told" >/dev/null || fail "once_round did not run: $(cat "$work/told")"
"$upwash" run -n 4 "$own" >/dev/null 2>"$work/told"
! grep once_round "$work/told" || fail "once_round ran where nobody asked for it"
status=0
UPWASH_ALGORITHMS=all_reduce=once_rond "$upwash" run -n 4 "$own" >/dev/null 2>"$work/told" || status=$?
[[ $status == 2 ]] || fail "an unknown algorithm ended with status $status"
grep "did you mean once_round" "$work/told" >/dev/null || fail "no hint: $(cat "$work/told")"

python3 - "$root" <<'PYTHON' || fail "README.md: its listing is not examples/02_all_gather/main.cpp"
import pathlib, re, sys
root = pathlib.Path(sys.argv[1])
program = (root / "examples/02_all_gather/main.cpp").read_text()
program = program[program.index("#include"):].strip()
listings = re.findall(r"```cpp\n(.*?)```", (root / "README.md").read_text(), re.DOTALL)
sys.exit(program not in [listing.strip() for listing in listings])
PYTHON
echo "examples: all print what they should"
