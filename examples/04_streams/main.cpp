// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which vertices of a graph can be reached from vertex 0. Each vertex has an owner, which is told
// by a small item that somebody got there; the first time it tells the owners of its neighbours.
#include <cstdint>
#include <cstdio>
#include <upwash/upwash.hpp>
#include <vector>

int main(int argc, char** argv) {
  return upwash::run(argc, argv, [](upwash::job& job) {
    constexpr std::uint64_t vertices = 1'000'000;
    const upwash::team world = job.world();
    const auto ranks = static_cast<std::uint64_t>(world.size());
    const auto owner = [ranks](std::uint64_t vertex) { return static_cast<int>(vertex % ranks); };
    std::vector<bool> reached(vertices / ranks + 1);
    std::uint64_t here = 0;

    auto visits =
        upwash::open_stream<std::uint64_t>(world, [&](auto& self, const std::uint64_t& vertex) {
          if (reached[vertex / ranks]) return;
          reached[vertex / ranks] = true;
          ++here;
          for (const std::uint64_t next : {vertex * 2 % vertices, (vertex * 3 + 2) % vertices}) {
            self.push(owner(next), next);
          }
        });
    if (world.rank() == 0) visits.push(owner(0), 0);
    visits.finish();  // nothing is left to be visited, on any rank

    const std::uint64_t all = upwash::all_reduce<upwash::sum>(world, upwash::blocking, here);
    if (world.rank() == 0) std::printf("%lu of %lu vertices\n", all, vertices);
  });
}
