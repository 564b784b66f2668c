// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Everybody's vector at everybody, while each rank computes; a sum to check it by.
#include <cstdio>
#include <numeric>
#include <upwash/upwash.hpp>
#include <vector>

int main(int argc, char** argv) {
  return upwash::run(argc, argv, [](upwash::job& job) {
    const upwash::team world = job.world();
    std::vector<double> mine(1000, world.rank());
    std::vector<double> all(1000 * static_cast<std::size_t>(world.size()));

    auto gathered = upwash::all_gather(world, mine, all);  // nonblocking
    const double here = std::accumulate(mine.begin(), mine.end(), 0.0);
    const double total = upwash::all_reduce<upwash::sum>(world, upwash::blocking, here);
    gathered.wait();

    const bool same = total == std::accumulate(all.begin(), all.end(), 0.0);
    if (world.rank() == 0) std::printf("%d ranks, %s\n", world.size(), same ? "agreed" : "wrong");
  });
}
