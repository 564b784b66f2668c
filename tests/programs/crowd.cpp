// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A barrier of ranks that share one process: each counts that it came, and after the barrier those
// that see all.
#include <atomic>
#include <cstdio>

#include "upwash/upwash.hpp"

int main(int argc, char** argv) {
  std::atomic<int> came = 0;  // of the process, as what main has is
  std::atomic<int> saw_all = 0;
  return upwash::run(argc, argv, [&](upwash::job& here) {
    const upwash::team& world = here.world();
    ++came;
    upwash::barrier(world, upwash::blocking);
    if (came == here.size()) ++saw_all;
    upwash::barrier(world, upwash::blocking);
    if (here.rank() == 0) std::printf("%d of %d\n", saw_all.load(), here.size());
  });
}
