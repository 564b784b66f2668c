#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# RandomAccess by messages, by streams and by remote atomics: not one update is lost; bad input.
set -euo pipefail
program=randomaccess
source "$(dirname "${BASH_SOURCE[0]}")/lib/program.sh"

lines=('direct: .* 0 of [0-9]* words wrong' '1d: .* 0 of ' '2d: .* 0 of ' 'auto: .* 0 of ' 'onesided: .* 0 of ')
for ranks in 1 2 4 7; do
  verified $ranks shm --log-words 14
  verified $ranks sim --log-words 9
done
# Atomics that travel, by the network and by the owners, more at once than may be under way.
lines=('onesided: .* 0 of [0-9]* words wrong')
verified 5 "sim --machine lemieux" --log-words 13 --modes onesided
verified 33 sim --log-words 4 --modes onesided   # more ranks than words
UPWASH_REMOTE_WRITES=0 verified 5 sim --log-words 12 --modes onesided
# By the owners, in one process.
for ranks in 1 4; do
  seen=$(UPWASH_CONDUIT=loopback UPWASH_RANKS=$ranks timeout 120 "$binary" --log-words 11) ||
    fail "loopback, $ranks ranks: $seen"
  shows '^onesided: .* 0 of 2048 words wrong' <<<"$seen" || fail "loopback, $ranks ranks: $seen"
done
lines=('3d: .* 0 of [0-9]* words wrong')
verified 30 sim --log-words 10 --modes 3d
verified 33 sim --log-words 4 --modes 3d   # more ranks than words

# Combining beats single messages where each costs microseconds.
time_of() { sed -n "s/^$1: \([0-9]*\)\.\([0-9]*\) ms.*/\1\2/p" <<<"$seen"; }
lines=('direct: ' '2d: ')
verified 64 "sim --machine lemieux" --log-words 14 --modes direct,2d
((10#$(time_of 2d) < 10#$(time_of direct))) || fail "streams are not faster: $seen"

refuses "randomaccess: --modes: 4d not in {direct,1d,2d,3d,auto,onesided} (see randomaccess --help)" --modes 4d
echo "randomaccess: verified"
