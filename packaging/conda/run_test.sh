#!/usr/bin/env bash
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
#
# What conda-build runs beside the installed package.
set -euo pipefail
cat >smoke.cpp <<'PROGRAM'
#include <upwash/upwash.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  return upwash::run(argc, argv, [](upwash::job& job) {
    const int all = upwash::all_reduce<upwash::sum>(job.world(), upwash::blocking, 1);
    if (job.rank() == 0) std::printf("%d of %d\n", all, job.size());
  });
}
PROGRAM
upwash cxx smoke.cpp -o smoke
[[ $(upwash run -n 4 ./smoke) == "4 of 4" ]]
