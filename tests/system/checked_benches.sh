#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The one-sided benches write no bytes twice that nothing orders, to more targets than a figure has.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/checks.sh"
out=$work/out
evidence=("$out")

for part in all-fence fence-barrier locks; do
  for how in "" --no-remote-writes; do
    # shellcheck disable=SC2086  # none or one word
    UPWASH_CHECKED=1 timeout 60 "$upwash" bench onesided --algorithm "$part" --conduit sim $how \
      --machine tungsten:ranks_a_node=1 -n 20 --bytes 100 >"$out" 2>&1 ||
      fail "$part $how: an error in a checked run"
    grep -q ' simulated ' "$out" || fail "$part $how: no rows"
  done
done
echo "checked_benches: checked"
