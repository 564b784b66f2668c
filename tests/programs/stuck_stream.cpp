// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Pushes to a member that never takes anything, until there is no room: stuck_stream [ordered]. For
// the stall report.
#include <cstdint>
#include <string_view>
#include <thread>

#include "upwash/upwash.hpp"

int main(int argc, char** argv) {
  const bool ordered = argc > 1 && std::string_view(argv[1]) == "ordered";
  return upwash::run(argc, argv, [&](upwash::job& here) {
    const upwash::team world = here.world();
    auto items = upwash::open_stream<std::uint64_t>(world, [](const std::uint64_t& /*item*/) {},
                                                    {.ordered = ordered});
    upwash::control::barrier(world);
    if (here.rank() != 0) {
      for (;;) std::this_thread::yield();
    }
    for (std::uint64_t i = 0;; ++i) items.push(1, i);
  });
}
