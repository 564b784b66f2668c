// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives without end, on the stack and in the executor: for what ends a job in the middle.
#include <cstdio>
#include <vector>

#include "upwash/upwash.hpp"

int main(int argc, char** argv) {
  return upwash::run(argc, argv, [](upwash::job& job) {
    const upwash::team world = job.world();
    std::vector<double> mine(4000, 1);
    std::vector<double> sums(4000);
    for (long turn = 0;; ++turn) {
      upwash::barrier(world, upwash::blocking);
      upwash::all_reduce<upwash::sum>(world, upwash::blocking, std::span<const double>(mine),
                                      std::span(sums));
      upwash::broadcast(world, 1, std::span(sums)).wait();
      if (turn == 0) {
        std::printf("talking\n");
        std::fflush(stdout);
      }
    }
  });
}
