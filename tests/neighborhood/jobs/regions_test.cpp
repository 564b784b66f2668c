// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Buffers at the same offset of one region at all members: each knows where those of the others
// lie, but not where a block lies that is on its way.
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "upwash/collective/barrier.hpp"
#include "upwash/core/reach.hpp"
#include "upwash/core/region.hpp"
#include "upwash/neighborhood/neighbor_all_gather.hpp"

namespace {

using namespace upwash;

constexpr std::size_t items = 300;

std::uint64_t value_of(int rank, std::size_t i, std::uint64_t call) {
  return static_cast<std::uint64_t>(rank) * 1'000'003 + i * 17 + call;
}

void gather(const neighborhood& on, const region& area, std::string_view scheme,
            std::optional<mechanism> transfer, std::uint64_t call) {
  const auto words = area.mine_as<std::uint64_t>();
  const auto mine = words.first(items);
  const auto all = words.subspan(items, items * on.sources().size());
  for (std::size_t i = 0; i < items; ++i) mine[i] = value_of(on.among().rank(), i, call);
  neighbor_all_gather(
      on, blocking, mine, all,
      {.scheme = scheme,
       .edges = {.addresses = address_mode::single, .transfer = transfer, .eager_bytes = 64}});
  for (std::size_t at = 0; at < all.size(); ++at) {
    ASSERT_EQ(all[at], value_of(on.sources()[at / items], at % items, call))
        << scheme << ", rank " << on.among().rank() << ", item " << at;
  }
}

}  // namespace

// What one rank sends to all goes on to other nodes from where the ranks of a node read it; of what
// all send, blocks go on together with others.
JOB_TEST(neighborhood, blocks_in_regions, .most_ranks = 17) {
  std::vector<int> everybody;
  for (int rank = 0; rank < here.size(); ++rank) everybody.push_back(rank);
  const std::vector<int> none;
  const std::vector<int> first{0};
  const neighborhood of_all(here.world(), {everybody, everybody});
  const neighborhood of_first(here.world(), {first, here.rank() == 0 ? everybody : none});
  region area = allocate(here.world(), items * (everybody.size() + 1) * sizeof(std::uint64_t));
  std::vector<std::string_view> schemes{"direct",  "node_forward",    "node_pairs",
                                        "halving", "halving:ranks=0", "best"};
  if (nodes_direct(here.world())) schemes.emplace_back("shared");
  std::uint64_t call = 0;
  for (const std::string_view scheme : schemes) {
    for (const auto transfer : {std::optional<mechanism>(), std::optional(mechanism::rendezvous)}) {
      for (const neighborhood* on : {&of_all, &of_first}) {
        gather(*on, area, scheme, transfer, ++call);
        if (testing::Test::HasFatalFailure()) return;
        barrier(here.world(), blocking);  // the next call writes where others may read
      }
    }
  }
  free(area);
}
