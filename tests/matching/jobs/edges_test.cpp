// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives as tagged messages (mechanism matched): beside each other, persistent, of any size,
// and out of the sight of user's receives.
#include <numeric>
#include <string>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "upwash/matching/messages.hpp"
#include "upwash/matching/options.hpp"
#include "upwash/matching/store.hpp"

namespace {

using namespace upwash;
namespace m = upwash::matching;

constexpr collective_options matched{.transfer = mechanism::matched};

}  // namespace

JOB_TEST(edges, are_never_seen_by_any_tag_receives) {
  const team world = here.world();
  const int rank = here.rank();
  std::vector<std::byte> into(8);
  m::receiving wild = m::receive(world, m::any_source, m::any_tag, into);
  std::vector<int> all(static_cast<std::size_t>(here.size()), -1);
  for (int round = 0; round < 3; ++round) {
    auto going = all_gather(world, std::span(&rank, 1), std::span(all), matched);
    EXPECT_FALSE(m::probe(world, m::any_source, m::any_tag).has_value());
    going.wait();
    for (int i = 0; i < here.size(); ++i) ASSERT_EQ(all[static_cast<std::size_t>(i)], i);
  }
  EXPECT_TRUE(wild.cancel());
}

JOB_TEST(edges, of_many_collectives_at_once_do_not_mix, .most_ranks = 16) {
  const team world = here.world();
  constexpr std::size_t count = 40;
  std::vector<std::uint64_t> mine(count), sums(count);
  std::vector<request> going;
  for (std::size_t i = 0; i < count; ++i) {
    mine[i] = i * 100 + static_cast<std::uint64_t>(here.rank());
    going.push_back(all_reduce<sum>(world, std::span<const std::uint64_t>(&mine[i], 1),
                                    std::span(&sums[i], 1), matched));
  }
  wait_all(going);
  const auto n = static_cast<std::uint64_t>(here.size());
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(sums[i], i * 100 * n + n * (n - 1) / 2) << i;
}

JOB_TEST(edges, of_persistent_collectives_and_large_ones_arrive, .most_ranks = 8) {
  const team world = here.world();
  for (const std::size_t elements : {std::size_t{1}, std::size_t{40'000}}) {
    std::vector<std::uint64_t> data(elements);
    auto kept = broadcast(world, persist, 0, std::span(data), matched);
    for (std::uint64_t round = 0; round < 5; ++round) {
      if (here.rank() == 0) std::iota(data.begin(), data.end(), round);
      kept.start().wait();
      for (std::size_t i = 0; i < elements; ++i) ASSERT_EQ(data[i], round + i);
      control::barrier(world);
    }
  }
}

/// A schedule may send nothing before it posts what its peers wait for.
JOB_TEST(edges, that_carry_nothing_do_not_wait_where_there_is_no_room, .most_ranks = 16) {
  const team world = here.world();
  m::install(here, {.unexpected_bytes = 0, .unexpected_envelopes = 0});
  const int rank = here.rank();
  std::vector<int> all(static_cast<std::size_t>(here.size()), -1);
  collective_options paced = matched;
  for (const std::string algorithm : {"k_prefix:k=2,pacing=1", "k_prefix:k=9,pacing=1"}) {
    paced.algorithm = algorithm;
    all_gather(world, blocking, std::span(&rank, 1), std::span(all), paced);
    for (int i = 0; i < here.size(); ++i) ASSERT_EQ(all[static_cast<std::size_t>(i)], i);
  }
  barrier(world, blocking, matched);
}

JOB_TEST(edges, travel_in_every_partition_with_little_room, .most_ranks = 8) {
  const team world = here.world();
  const auto ranks = static_cast<std::size_t>(here.size());
  for (const auto partition : m::partition_names()) {
    m::install(here, {.partition = std::string(partition),
                      .unexpected_bytes = 1000 * ranks,
                      .unexpected_envelopes = ranks});
    std::vector<int> mine(100, here.rank());
    std::vector<int> all(here.rank() == 0 ? 100 * ranks : 0);
    for (int round = 0; round < 3; ++round) {
      gather(world, 0, std::span<const int>(mine), std::span(all), matched).wait();
      for (std::size_t i = 0; i < all.size(); ++i) {
        ASSERT_EQ(all[i], static_cast<int>(i / 100)) << partition;
      }
    }
    control::barrier(world);
  }
}
