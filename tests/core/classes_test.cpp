// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Jobs whose peers are served differently: near ones address each other's memory and take larger
// messages, far ones do not. And atomics that only some conduits carry out.
#include <algorithm>
#include <string>
#include <vector>

#include "tests/harness/composite_worlds.hpp"
#include "tests/harness/job_test.hpp"
#include "tests/harness/weak_world.hpp"
#include "tests/harness/worlds.hpp"
#include "upwash/core/reach.hpp"
#include "upwash/runtime/run_on.hpp"

namespace {

using namespace upwash;
using conduit::atomic_kind;
using conduit::atomic_set;
using test::composite_of;
using test::inside;
using test::message_of;

constexpr int node_ranks = 3;

void on_two_nodes(inside kind, function_ref<void(job&)> body) {
  const auto world = composite_of(kind, 2 * node_ranks, node_ranks, 7);
  run_on(*world, {}, body);
}

int taken = 0;  // by handlers of all ranks of this process
std::size_t largest = 0;
void take(incoming& in) {
  ++taken;
  largest = std::max(largest, in.payload().size());
}

const atomic_set few{atomic_kind::add, atomic_kind::fetch_add, atomic_kind::load};

}  // namespace

TEST(classes, regions_take_the_processor_only_where_all_members_address_each_other) {
  for (const inside kind : {inside::direct, inside::shm}) {
    on_two_nodes(kind, [](job& here) {
      const team node = here.world().node();
      ASSERT_EQ(node.size(), node_ranks);
      EXPECT_TRUE(all_direct(node));
      EXPECT_FALSE(all_direct(here.world()));
      EXPECT_EQ(reach_of(here.world()).holds(&conduit::peer_capabilities::direct_access),
                pairs::some);
      region near = allocate(node, 8);
      region all = allocate(here.world(), 8);
      EXPECT_EQ(near.atomics(), atomicity::processor);
      EXPECT_EQ(all.atomics(), atomicity::owner);
      for (int i = 0; i < 50; ++i) {
        for (int r = 0; r < here.size(); ++r) add(here, all.at<std::uint64_t>(r), 1);
        for (int r = 0; r < node.size(); ++r) add(here, near.at<std::uint64_t>(r), 1);
      }
      control::barrier(here.world());
      EXPECT_EQ(atomic_load(here, all.at<std::uint64_t>(here.rank())), 50U * 2 * node_ranks);
      EXPECT_EQ(atomic_load(here, near.at<std::uint64_t>(node.rank())), 50U * node_ranks);
      control::barrier(here.world());
      free(all);
      free(near);
    });
  }
}

TEST(classes, near_members_meet_in_memory_and_the_world_by_messages) {
  on_two_nodes(inside::direct, [](job& here) {
    const team node = here.world().node();
    control::barrier(node);
    control::barrier(here.world());
    const auto before = here.counters().messages_sent;
    control::barrier(node);
    EXPECT_EQ(here.counters().messages_sent, before);
    control::barrier(here.world());
    EXPECT_GT(here.counters().messages_sent, before);
  });
}

TEST(classes, messages_are_as_large_as_the_peer_takes) {
  taken = 0;
  largest = 0;
  on_two_nodes(inside::direct, [](job& here) {
    const int near = here.rank() / node_ranks * node_ranks + (here.rank() + 1) % node_ranks;
    const int far = (here.rank() + node_ranks) % here.size();
    EXPECT_EQ(medium_limit(here), 512U);
    EXPECT_EQ(medium_limit(here, near), 2048U);
    EXPECT_EQ(medium_limit(here, far), 512U);
    EXPECT_EQ(medium_limit(here.world()), 512U);
    EXPECT_EQ(medium_limit(here.world().node()), 2048U);
    const std::vector<std::byte> payload(1500);
    auto before = here.counters().messages_sent;
    send_medium<&take>(here, near, payload);
    EXPECT_EQ(here.counters().messages_sent - before, 1U);
    before = here.counters().messages_sent;
    send_medium<&take>(here, far, payload);
    EXPECT_EQ(here.counters().messages_sent - before, 3U);
    EXPECT_THROW(static_cast<void>(try_send_medium<&take>(here, far, payload)), error);
    EXPECT_THROW(prepared_payload(here, far, 513), error);
    prepared_payload room(here, near, 2048);
    room.commit<&take>(2048);
  });
  EXPECT_EQ(taken, 3 * 2 * node_ranks);
  EXPECT_EQ(largest, 2048U);
}

TEST(classes, exposed_memory_is_read_by_near_and_far) {
  for (const inside kind : {inside::direct, inside::shm}) {
    on_two_nodes(kind, [](job& here) {
      std::vector<std::byte> secret(3000, static_cast<std::byte>(here.rank() + 1));
      const exposed_memory mine = expose(here, secret);
      std::vector<exposed_memory> all(static_cast<std::size_t>(here.size()));
      control::all_gather_values(here.world(), mine, std::span(all));
      for (int r = 0; r < here.size(); ++r) {
        std::vector<std::byte> seen(2990);
        get(here, all[static_cast<std::size_t>(r)], 10, seen).wait();
        EXPECT_EQ(std::count(seen.begin(), seen.end(), static_cast<std::byte>(r + 1)), 2990) << r;
      }
      control::barrier(here.world());
      conceal(here, mine);
    });
  }
}

TEST(classes, a_deadlock_in_a_composite_is_named) {
  const auto world = composite_of(inside::direct, 4, 2, 3);
  const std::string said = message_of(*world, [](job& here) {
    std::vector<int> never(1);
    if (here.rank() == 1) receive(here.world(), blocking, 2, 7, never);
  });
  EXPECT_NE(said.find("deadlock"), std::string::npos) << said;
  EXPECT_NE(said.find("pending at rank 1: 1 receives posted"), std::string::npos) << said;
}

TEST(classes, a_region_is_the_networks_when_it_carries_out_all_that_it_is_for) {
  const auto world = test::make_weak_world(test::sim_of(4), few);
  run_on(*world, {}, [](job& here) {
    region any = allocate(here.world(), 16);
    EXPECT_EQ(any.atomics(), atomicity::owner);
    region narrow = allocate(here.world(), 16, atomicity::automatic, few);
    EXPECT_EQ(narrow.atomics(), atomicity::network);
    for (int i = 0; i < 20; ++i) {
      for (region* each : {&any, &narrow}) {
        fetch_add(here, each->at<std::uint64_t>(i % here.size()), 2);
        add(here, each->at<std::uint32_t>(i % here.size(), 2), 1U);
      }
    }
    control::barrier(here.world());
    for (region* each : {&any, &narrow}) {
      EXPECT_EQ(atomic_load(here, each->at<std::uint64_t>(here.rank())), 40U);
      EXPECT_EQ(atomic_load(here, each->at<std::uint32_t>(here.rank(), 2)), 20U);
    }
    EXPECT_EQ(swap(here, any.at<std::uint64_t>(here.rank()), 5), 40U);
    control::barrier(here.world());
    free(narrow);
    free(any);
  });
}

TEST(classes, atomics_that_a_region_of_the_network_is_not_for_are_refused) {
  const auto world = test::sim_of(2);
  run_on(*world, {}, [](job& here) {
    region area = allocate(here.world(), 8, atomicity::network, few);
    std::string said;
    try {
      swap(here, area.at<std::uint32_t>(1), 5U);
    } catch (const error& refused) {
      said = refused.what();
    }
    EXPECT_NE(said.find("swap of 4 bytes at rank 1: the region is for other atomics"),
              std::string::npos)
        << said;
    EXPECT_EQ(fetch_add(here, area.at<std::uint32_t>(here.rank()), 5U), 0U);
    control::barrier(here.world());
    free(area);
  });
}

TEST(classes, network_atomics_that_are_lacking_are_named) {
  const auto world = test::make_weak_world(test::sim_of(2), few);
  const std::string said = message_of(*world, [](job& here) {
    static_cast<void>(
        allocate(here.world(), 8, atomicity::network, {atomic_kind::add, atomic_kind::fetch_xor}));
  });
  EXPECT_EQ(said,
            "allocate: the weak conduit has no network atomics for fetch_xor; use automatic or "
            "owner, or name those that the region is for");
}

TEST(classes, puts_share_flushes) {
  constexpr int ranks = 3;
  constexpr std::uint64_t puts = 200;
  const auto world = test::make_weak_world(test::sim_of(ranks));
  run_on(*world, {}, [&](job& here) {
    region area = allocate(here.world(), ranks * puts * 8);
    const int before = test::flushes_of(*world, here.rank());
    std::vector<std::uint64_t> values(puts);
    std::vector<request> open;
    for (int to = 0; to < ranks; ++to) {
      for (std::uint64_t i = 0; i < puts; ++i) {
        values[i] = i + 1;
        open.push_back(put(
            here, area.at<std::uint64_t>(to, static_cast<std::uint64_t>(here.rank()) * puts + i),
            std::span(&values[i], 1)));
      }
    }
    for (request& each : open) each.wait();
    EXPECT_LE(test::flushes_of(*world, here.rank()) - before, ranks * static_cast<int>(puts) / 10);
    EXPECT_GE(test::flushes_of(*world, here.rank()) - before, 1);
    control::barrier(here.world());
    const auto mine = area.mine_as<std::uint64_t>();
    for (std::size_t i = 0; i < ranks * puts; ++i) ASSERT_EQ(mine[i], i % puts + 1) << i;
    control::barrier(here.world());
    free(area);
  });
}
