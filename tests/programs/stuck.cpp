// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Waits for what never comes: rank 0 in wait_until, rank 1 in the barrier, the others in a get of
// nothing from nobody (they compute). For the stall report.
#include <cstdlib>
#include <string_view>
#include <thread>

#include "upwash/upwash.hpp"

int main(int argc, char** argv) {
  return upwash::run(argc, argv, [&](upwash::job& here) {
    upwash::region area = upwash::allocate(here.world(), 64);
    if (here.rank() == 0) {
      upwash::wait_until(here, area.mine_as<std::uint64_t>()[0], upwash::comparison::equal, 1);
    } else if (here.rank() == 1) {
      upwash::control::barrier(here.world());
    } else {
      for (;;) std::this_thread::yield();
    }
  });
}
