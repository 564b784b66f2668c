// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A rank computes a millisecond before each of five sums that all wait for: by one persistent
// operation, and by calls of their own.
#include <cstdlib>

#include "upwash/upwash.hpp"

int main(int argc, char** argv) {
  return upwash::run(argc, argv, [argc, argv](upwash::job& job) {
    const upwash::team world = job.world();
    const int late = argc > 1 ? std::atoi(argv[1]) : 0;
    double mine = world.rank();
    double all = 0;
    const auto compute = [&] {
      if (world.rank() == late) job.compute(upwash::duration::from_us(1000));
    };
    auto sums = upwash::all_reduce<upwash::sum>(
        world, upwash::persist, std::span<const double>(&mine, 1), std::span(&all, 1));
    for (int turn = 0; turn < 5; ++turn) {
      compute();
      if (world.rank() % 2 == 0) {
        sums.run();
      } else {
        sums.start().wait();
      }
    }
    for (int turn = 0; turn < 5; ++turn) {
      compute();
      upwash::barrier(world, upwash::blocking);
    }
  });
}
