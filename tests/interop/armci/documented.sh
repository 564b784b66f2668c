#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The program of docs/armci.md is compiled and run as the page says, and prints what it says.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../system/lib/checks.sh"
evidence=("$work")
root=$(cd "$here/../../.." && pwd)
page=$root/docs/armci.md

# block LANGUAGE: the lines of its first block.
block() { sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$page" | sed '/^```/d'; }

block c >"$work/ring.c"
[[ -s $work/ring.c ]] || fail "no program on the page"
mkdir -p "$work/build"
ln -s "$root/interop" "$work/interop"
ln -s "$UPWASH_TEST_BUILD" "$work/build/release"
sed -n '/^```console$/,/^```$/p' "$page" | grep '^\$ ' | sed 's/^\$ //' >"$work/commands"
[[ $(wc -l <"$work/commands") == 3 ]] || fail "not three commands on the page"
(cd "$work" && bash -e commands) >"$work/printed" 2>"$work/errors" || fail "status $?"
[[ $(cat "$work/printed") == "$(sed -n '/^```console$/,/^```$/p' "$page" | grep -v '^[`$]')" ]] ||
  fail "it prints something else"
echo "documented: ok"
