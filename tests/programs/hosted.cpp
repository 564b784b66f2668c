// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks in processes of the sizes that are given ("3 2 2"), or of any: that each knows its place,
// and that all reach each other. "kill": the last rank kills its process.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "upwash/core/host.hpp"
#include "upwash/upwash.hpp"

namespace {

[[noreturn]] void wrong(const upwash::job& here, const std::string& what) {
  throw upwash::error(upwash::error_kind::fault,
                      "rank " + std::to_string(here.rank()) + ": " + what);
}

/// The processes of all ranks are `counts` of each.
void check_places(upwash::job& here, const std::vector<int>& counts) {
  const auto& where = upwash::host(here).endpoint();
  int rank = 0;
  for (std::size_t p = 0; p < counts.size(); ++p) {
    for (int i = 0; i < counts[p]; ++i, ++rank) {
      if (where.place(rank).process != static_cast<int>(p)) wrong(here, "a rank is misplaced");
    }
  }
  if (rank != here.size()) wrong(here, "there are " + std::to_string(here.size()) + " ranks");
}

/// Everybody to everybody, tagged by the sender, and a word put beside.
void check_messages(upwash::job& here) {
  const upwash::team world = here.world();
  const auto size = static_cast<std::size_t>(here.size());
  upwash::region words = upwash::allocate(world, size * sizeof(int));
  std::vector<int> sent(size, here.rank());
  std::vector<int> got(size, -1);
  std::vector<upwash::matching::receiving> receives;
  std::vector<upwash::request> sends;
  for (int peer = 0; peer < here.size(); ++peer) {
    const auto i = static_cast<std::size_t>(peer);
    receives.push_back(upwash::matching::receive(world, peer, peer,
                                                 std::as_writable_bytes(std::span(&got[i], 1))));
    sends.push_back(
        upwash::matching::send(world, peer, here.rank(), std::as_bytes(std::span(&sent[i], 1))));
    upwash::put_value(here, words.at<int>(peer, static_cast<std::uint64_t>(here.rank())),
                      here.rank());
  }
  for (auto& one : receives) one.wait();
  for (auto& one : sends) one.wait();
  upwash::control::barrier(world);
  for (int peer = 0; peer < here.size(); ++peer) {
    const auto i = static_cast<std::size_t>(peer);
    if (got[i] != peer) wrong(here, "received " + std::to_string(got[i]));
    if (words.mine_as<int>()[i] != peer) wrong(here, "a word was not put");
  }
  upwash::free(words);
}

void check_collectives(upwash::job& here) {
  const upwash::team world = here.world();
  const int size = here.size();
  const int sum = upwash::all_reduce<upwash::sum>(world, upwash::blocking, here.rank() + 1);
  if (sum != size * (size + 1) / 2) wrong(here, "the sum is " + std::to_string(sum));
  const std::vector<int> mine(100, here.rank());
  std::vector<int> all(mine.size() * static_cast<std::size_t>(size));
  upwash::all_gather(world, std::span(mine), std::span(all)).wait();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] != static_cast<int>(i / mine.size())) wrong(here, "gathered something else");
  }
}

}  // namespace

int main(int argc, char** argv) {
  return upwash::run(argc, argv, [&](upwash::job& here) {
    if (argc > 1 && std::string_view(argv[1]) == "kill") {
      upwash::control::barrier(here.world());
      if (here.rank() == here.size() - 1) std::raise(SIGKILL);
      upwash::control::barrier(here.world());
    }
    std::vector<int> counts;
    for (int i = 1; i < argc; ++i) counts.push_back(std::atoi(argv[i]));
    if (!counts.empty()) check_places(here, counts);
    check_messages(here);
    check_collectives(here);
    if (here.rank() == 0) std::printf("hosted: %d ranks\n", here.size());
  });
}
