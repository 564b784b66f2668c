#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The tutorial's programs, compiled from the page, print what the page says.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

export PATH=$UPWASH_TEST_BIN:$UPWASH_TEST_BUILD/tutorial:$PATH
python3 "$here/lib/tutorial.py" "$here/../../docs/tutorial.md" --run ||
  fail "the page says otherwise"
echo "tutorial: all commands print what the page says"
