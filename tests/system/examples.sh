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

python3 - "$root" <<'PYTHON' || fail "README.md: its listing is not examples/02_all_gather/main.cpp"
import pathlib, re, sys
root = pathlib.Path(sys.argv[1])
program = (root / "examples/02_all_gather/main.cpp").read_text()
program = program[program.index("#include"):].strip()
listings = re.findall(r"```cpp\n(.*?)```", (root / "README.md").read_text(), re.DOTALL)
sys.exit(program not in [listing.strip() for listing in listings])
PYTHON
echo "examples: all print what they should"
