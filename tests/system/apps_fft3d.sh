#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The 3-D FFT program against the published checksums of NAS FT, and bad input. Skipped, saying so,
# where it was not built for want of FFTW.
set -euo pipefail
program=fft3d
source "$(dirname "${BASH_SOURCE[0]}")/lib/program.sh"
if [[ ! -x $binary ]]; then
  echo "fft3d: skipped, not built: no FFTW (libfftw3-dev)"
  exit 77
fi
lines=(problem: exchange: 'round 1:' 'round 2:' time: rate:)

# says LINE: of the last run.
says() { grep -qxF -- "$1" <<<"$seen" || fail "no line '$1' in: $seen"; }

for ranks in 1 2 4 8; do
  verified $ranks shm
  verified $ranks sim --decomposition slabs --overlap
done
verified 4 shm --class W
verified 4 shm --decomposition pencils --overlap --in-flight 64
verified 4 shm --decomposition pencils --blocking
verified 4 sim --class W --decomposition slabs --blocking
verified 64 sim --decomposition slabs --overlap

# Messages of a rank and their elements of 16 bytes (Nishtala 2009, "3D FFT: packed slabs; slabs"):
# NX = NY = 128, NZ = 32, TY = 2, TZ = 4. Each all-to-all has a message for each of its ranks.
verified 8 sim --class W --grid 2 4
says "round 1: 1 all-to-all of 2 ranks, $((32 / 4 * 128 / 2 * 128 / 2 * 16)) bytes a pair"
says "round 2: 1 all-to-all of 4 ranks, $((32 / 4 * 128 / 2 * 128 / 4 * 16)) bytes a pair"
verified 8 sim --class W --grid 2 4 --decomposition slabs
says "round 1: $((32 / 4)) all-to-alls of 2 ranks, $((128 / 2 * 128 / 2 * 16)) bytes a pair"
says "round 2: $((32 / 4)) all-to-alls of 4 ranks, $((128 / 2 * 128 / 4 * 16)) bytes a pair"

# Planes that travel while others compute take a tenth less time than packed slabs and more, where
# the processors are slow enough: computing takes three times what the network needs.
# time_of: of the last run, in us.
time_of() { sed -n 's/^time: \([0-9]*\)\.\([0-9]*\) ms .*/\1\2/p' <<<"$seen"; }
verified 16 "sim --machine lemieux" --class W --mflops 50
packed=$(time_of)
verified 16 "sim --machine lemieux" --class W --mflops 50 --decomposition slabs --overlap
((10 * 10#$(time_of) < 9 * 10#$packed)) || fail "overlapped slabs take $(time_of), packed $packed us"

refuses_on 7 "fft3d: 7 ranks do not share 64 x 64 x 64 points in equal pencils; use 4 or 8"
refuses_on 6 "fft3d: 6 ranks do not share 128 x 128 x 32 points in equal pencils; use 4 or 8" \
  --class W
refuses_on 4 "fft3d: --grid 2 4 is 8 ranks, and the job has 4" --grid 2 4
refuses_on 3 "fft3d: --grid 1 3 does not share 64 x 64 x 64 points in equal pencils; the first must \
divide 64 and 64, the second 64 and 64" --grid 1 3
refuses "fft3d: --overlap needs --decomposition slabs or pencils: packed, all is computed before \
any is sent" --overlap
refuses "fft3d: --blocking excludes --overlap (see fft3d --help)" --overlap --blocking
refuses "fft3d: --class: A not in {S,W} (see fft3d --help)" --class A
echo "fft3d: verified"
