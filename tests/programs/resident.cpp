// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a job takes: after a barrier and a sum of all ranks, the memory of all its processes, pages
// that they share counted once, in KiB.
#include <atomic>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <string>

#include "upwash/upwash.hpp"

namespace {

std::uint64_t resident_kib() {
  std::ifstream file("/proc/self/smaps_rollup");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("Pss:")) return std::stoull(line.substr(4));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::atomic<int> asked = 0;  // of the process, as what main has is
  return upwash::run(argc, argv, [&](upwash::job& here) {
    const upwash::team& world = here.world();
    upwash::barrier(world, upwash::blocking);
    const auto ranks = upwash::all_reduce<upwash::sum>(world, upwash::blocking, std::uint64_t{1});
    const std::uint64_t own = asked++ == 0 ? resident_kib() : 0;
    const auto kib = upwash::all_reduce<upwash::sum>(world, upwash::blocking, own);
    if (here.rank() == 0) std::cout << ranks << ' ' << kib << '\n';
  });
}
