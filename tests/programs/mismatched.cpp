// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The last rank calls something else than the others; the argument says what.
#include <cstdint>
#include <string_view>
#include <vector>

#include "upwash/upwash.hpp"

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  return upwash::run(argc, argv, [what](upwash::job& job) {
    const upwash::team world = job.world();
    const bool odd = world.rank() == world.size() - 1;
    std::vector<int> data(odd && what == "size" ? 3 : 4);
    upwash::barrier(world, upwash::blocking);
    if (what == "neighbors") {
      const int next = (world.rank() + 1) % world.size();
      const int before = (world.rank() + world.size() - 1) % world.size();
      const upwash::neighborhood ring(world, {{&before, 1}, {&next, 1}});
      data.resize(odd ? 2 : 3);
      std::vector<int> came(3);
      const std::vector<std::uint64_t> counts{came.size()};
      upwash::neighbor_all_gather_v(ring, upwash::blocking, data, came, counts,
                                    {.scheme = "direct"});
    } else if (what == "collective" && odd) {
      upwash::barrier(world, upwash::blocking);
    } else if (what == "waiting" && odd) {
      upwash::broadcast(world, 0, std::span(data)).wait();
    } else if (what == "operator") {
      if (odd) {
        upwash::all_reduce<upwash::most>(world, upwash::blocking, upwash::in_place,
                                         std::span(data));
      } else {
        upwash::all_reduce<upwash::sum>(world, upwash::blocking, upwash::in_place, std::span(data));
      }
    } else {
      upwash::broadcast(world, upwash::blocking, odd && what == "root" ? 1 : 0, std::span(data));
    }
    upwash::barrier(world, upwash::blocking);
  });
}
