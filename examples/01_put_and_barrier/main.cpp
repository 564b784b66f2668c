// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every rank puts its square into the memory of rank 0, which prints them all.
#include <cstdio>
#include <upwash/upwash.hpp>

int main(int argc, char** argv) {
  return upwash::run(argc, argv, [](upwash::job& job) {
    const upwash::team world = job.world();
    const auto slots = static_cast<std::size_t>(world.rank() == 0 ? world.size() : 0);
    upwash::region board = upwash::allocate(world, slots * sizeof(int));

    const int square = world.rank() * world.rank();
    upwash::put_value(job, board.at<int>(0, static_cast<std::uint64_t>(world.rank())), square);
    upwash::control::barrier(world);

    for (const int each : board.mine_as<int>()) std::printf("%d\n", each);
    upwash::free(board);
  });
}
