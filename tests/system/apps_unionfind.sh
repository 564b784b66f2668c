#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Components of real graphs by messages and by streams, beside what one process finds; bad input.
set -euo pipefail
program=unionfind
source "$(dirname "${BASH_SOURCE[0]}")/lib/program.sh"

graph=data/matrices/3elt.mtx
lines=('direct: .* as expected' '1d: .* as expected' '2d: .* as expected' 'auto: .* as expected')
for ranks in 1 2 4 7; do
  verified $ranks shm $graph
  verified $ranks sim $graph
done
verified 4 shm data/matrices/west0479.mtx
lines=('3d: .* as expected')
verified 33 sim $graph --modes 3d

refuses "unionfind: data/matrices/none.mtx: cannot be read; expected a Matrix Market file" \
  data/matrices/none.mtx
flat=$work/flat.mtx
printf '%%%%MatrixMarket matrix coordinate pattern general\n2 3 1\n1 3\n' >"$flat"
refuses "unionfind: $flat: 2 x 3 is no graph; expected a square matrix" "$flat"
refuses "unionfind: --modes: 4d not in {direct,1d,2d,3d,auto} (see unionfind --help)" $graph --modes 4d
echo "unionfind: verified"
