// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks that the conduit has lost, and the good end: what core does with an endpoint's notices.
#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "tests/harness/weak_world.hpp"
#include "tests/harness/worlds.hpp"
#include "upwash/conduit/composite/composite_world.hpp"

namespace {

using namespace upwash;

/// What the job says when rank 1 is lost while the others do `body`; rank 1 itself stays.
std::string said_when_one_is_lost(function_ref<void(job&)> body) {
  const auto world = test::make_weak_world(test::loopback_of(3));
  return test::message_of(*world, [&](job& here) {
    if (here.rank() != 1) return body(here);
    test::lose(*world, 1);
    for (;;) here.progress();  // neither answers nor ends by itself
  });
}

}  // namespace

TEST(losses, end_what_waits) {
  const std::string said = said_when_one_is_lost([](job& here) { control::barrier(here.world()); });
  EXPECT_NE(said.find("rank 1 died, or the network to it did"), std::string::npos) << said;
}

TEST(losses, end_loops_that_only_poll) {
  const std::string said = said_when_one_is_lost([](job& here) {
    for (;;) here.progress();
  });
  EXPECT_NE(said.find("rank 1 died, or the network to it did"), std::string::npos) << said;
}

TEST(losses, each_rank_is_closed_once_at_a_good_end) {
  for (const int ranks : {1, 2, 5}) {
    const auto world = test::make_weak_world(test::loopback_of(ranks));
    run_on(*world, {}, [&](job& here) {
      control::barrier(here.world());
      EXPECT_TRUE(test::closed_by(*world).empty());
      control::barrier(here.world());
    });
    std::vector<int> closed = test::closed_by(*world);
    std::ranges::sort(closed);
    std::vector<int> all(static_cast<std::size_t>(ranks));
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(closed, all);
  }
}

TEST(losses, nobody_is_closed_after_an_error) {
  const auto world = test::make_weak_world(test::loopback_of(2));
  const std::string said = test::message_of(*world, [](job& here) {
    if (here.rank() == 0) throw error(error_kind::fault, "enough");
    control::barrier(here.world());
  });
  EXPECT_EQ(said, "enough");
  EXPECT_TRUE(test::closed_by(*world).empty());
}

TEST(losses, a_composite_tells_for_both_its_parts) {
  conduit::composite_parts parts;
  for (int node = 0; node < 2; ++node) {
    parts.nodes.push_back(test::make_weak_world(test::loopback_of(2)));
  }
  parts.between = test::make_weak_world(test::loopback_of(4));
  conduit::world& second = *parts.nodes[1];
  conduit::world& between = *parts.between;
  const auto all = conduit::make_composite_world(std::move(parts));
  EXPECT_EQ(all->endpoint_of(3).lost_rank(), -1);
  test::lose(second, 1);
  EXPECT_EQ(all->endpoint_of(2).lost_rank(), 3);
  EXPECT_EQ(all->endpoint_of(0).lost_rank(), -1);
  test::lose(between, 2);
  EXPECT_EQ(all->endpoint_of(0).lost_rank(), 2);
  all->endpoint_of(3).close(3);
  EXPECT_EQ(test::closed_by(second), std::vector<int>{1});
  EXPECT_EQ(test::closed_by(between), std::vector<int>{3});
}
