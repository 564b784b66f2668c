#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The radix sort on random keys, even and very uneven ones, and bad input.
set -euo pipefail
program=radixsort
source "$(dirname "${BASH_SOURCE[0]}")/lib/program.sh"

lines=(keys: 'direct, blocking:' 'direct, overlapped:' 'mesh2d, blocking:' 'mesh2d, overlapped:')
for ranks in 1 2 4 7; do
  verified $ranks shm --keys 20000 --repeats 1
  verified $ranks sim --keys 3000 --repeats 1 --seed $ranks
done
verified 7 shm --keys 3000 --bits 9 --repeats 1   # all keys at one rank in all passes but the first
verified 7 sim --keys 3000 --bits 17 --repeats 1
verified 5 shm --keys 1 --repeats 1
verified 3 shm --keys 0 --repeats 1
lines=('mesh3d, blocking:' 'mesh, overlapped:')
verified 6 shm --keys 2000 --repeats 1 --parts 9 --algorithms mesh3d,mesh

# Kumar 2005, table 7.5: combining messages along a mesh beats direct ones of a few hundred bytes.
# time_of NAME: of the last run, in us.
time_of() { sed -n "s/^$1, blocking: \([0-9]*\)\.\([0-9]*\) ms .*/\1\2/p" <<<"$seen"; }
lines=('direct, blocking:' 'mesh2d, blocking:')
verified 256 "sim --machine lemieux" --keys 6400 --parts 1 --repeats 1
((10#$(time_of mesh2d) < 10#$(time_of direct))) || fail "the mesh is not faster: $seen"

refuses_on 4 "radixsort: --keys 2000000000 at each of 4 ranks; at most 1073741823 (2^32 - 1 in all)" \
  --keys 2000000000
refuses "radixsort: --bits: Value 65 not in range 1 to 64 (see radixsort --help)" --bits 65
refuses "radixsort: The following argument was not expected: 5 (see radixsort --help)" 5
status=0
seen=$("$upwash" run -n 3 "$binary" --algorithms foo 2>&1) || status=$?
[[ $status == 2 ]] || fail "an unknown algorithm ended with status $status: $seen"
grep -qF 'all_to_all_v: unknown algorithm "foo" (known: direct, mesh2d, mesh3d, mesh, mesh_nodes, cyclic, prefix_send, bruck)' <<<"$seen" ||
  fail "an unknown algorithm: $seen"
echo "radixsort: verified"
