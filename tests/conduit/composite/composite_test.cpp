// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The composite endpoint by itself: its parts, keys, places, order, and queues of its own for each
// part.
#include "upwash/conduit/composite/composite_world.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/base/random.hpp"
#include "upwash/conduit/composite/detail/composite_key.hpp"
#include "upwash/conduit/loopback/loopback_world.hpp"

namespace upwash::conduit {
namespace {

std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const error& problem) {
    return problem.what();
  }
  return "no error";
}

std::unique_ptr<world> loopback_of(int ranks, int per_endpoint, bool direct = false) {
  loopback_options options;
  options.ranks = ranks;
  options.ranks_per_endpoint = per_endpoint;
  options.direct_access = direct;
  options.medium_bytes = direct ? 1024 : 512;
  options.retry_fraction = 0;
  options.queue_messages = 4;
  return make_loopback_world(options);
}

/// Nodes of so many ranks, one rank an endpoint.
composite_parts parts_of(const std::vector<int>& nodes) {
  composite_parts parts;
  int all = 0;
  for (const int ranks : nodes) {
    parts.nodes.push_back(loopback_of(ranks, 1, true));
    all += ranks;
  }
  parts.between = loopback_of(all, 1);
  return parts;
}

struct recorded final : sink {
  void deliver(const message& m) override { all.push_back(m); }
  std::vector<message> all;
};

TEST(composite_keys, give_both_parts_back) {
  random_stream from(5, 0x6b657973);
  for (int turn = 0; turn < 2000; ++turn) {
    composite::key_parts parts;
    parts.inner.size = static_cast<std::uint32_t>(from.below(126));
    parts.outer.size = static_cast<std::uint32_t>(from.below(126));
    for (std::size_t i = 0; i < parts.inner.size; ++i) {
      parts.inner.bytes[i] = static_cast<std::byte>(from.below(256));
    }
    for (std::size_t i = 0; i < parts.outer.size; ++i) {
      parts.outer.bytes[i] = static_cast<std::byte>(from.below(256));
    }
    const composite::key_parts back = composite::split(composite::joined(parts));
    ASSERT_EQ(back.inner.size, parts.inner.size);
    ASSERT_EQ(back.outer.size, parts.outer.size);
    ASSERT_EQ(back.inner.bytes, parts.inner.bytes);
    ASSERT_EQ(back.outer.bytes, parts.outer.bytes);
  }
}

TEST(composite_keys, that_are_too_long_or_nobodys_are_refused) {
  composite::key_parts parts;
  parts.inner.size = 130;
  parts.outer.size = 121;
  EXPECT_EQ(composite::joined(parts).size, memory_key::capacity);
  ++parts.outer.size;
  EXPECT_EQ(message_of([&] { static_cast<void>(composite::joined(parts)); }),
            "composite: keys of 130 and 122 bytes do not fit into one of 252; enlarge memory_key");
  EXPECT_THROW(static_cast<void>(composite::split({})), error);
  memory_key wrong = key_of(std::byte{200});
  EXPECT_THROW(static_cast<void>(composite::split(wrong)), error);
}

TEST(composite, refuses_parts_that_do_not_fit) {
  EXPECT_NE(
      message_of([] { static_cast<void>(make_composite_world({})); }).find("at least one node"),
      std::string::npos);
  auto missing = parts_of({2, 3});
  missing.between = loopback_of(4, 1);
  EXPECT_EQ(message_of([&] { static_cast<void>(make_composite_world(std::move(missing))); }),
            "composite: the nodes have 5 ranks, the world between them 4");
  auto shared = parts_of({2, 2});
  shared.between = loopback_of(4, 2);
  EXPECT_EQ(message_of([&] { static_cast<void>(make_composite_world(std::move(shared))); }),
            "composite: ranks 0 to 0 share an endpoint inside their node, 0 to 1 between nodes");
  auto different = parts_of({2, 2});
  different.nodes[1] = loopback_of(2, 1, false);
  EXPECT_EQ(message_of([&] { static_cast<void>(make_composite_world(std::move(different))); }),
            "composite: the nodes' conduits can do different things");
}

TEST(composite, places_ranks_of_uneven_nodes) {
  const auto all = make_composite_world(parts_of({2, 1, 3}));
  EXPECT_EQ(all->size(), 6);
  const std::vector<int> nodes{0, 0, 1, 2, 2, 2};
  int socket = -1;
  for (int r = 0; r < 6; ++r) {
    const location where = all->endpoint_of(0).place(r);
    EXPECT_EQ(where.node, nodes[static_cast<std::size_t>(r)]) << r;
    EXPECT_EQ(where.process, r);
    EXPECT_GE(where.socket, socket) << r;
    socket = where.socket;
    EXPECT_EQ(all->endpoint_of(r).first_rank(), r);
  }
}

TEST(composite, says_for_each_class_what_its_part_can_do) {
  const auto all = make_composite_world(parts_of({2, 2}));
  const capabilities& can = all->endpoint_of(3).describe();
  EXPECT_EQ(can.name, "loopback+loopback");
  EXPECT_FALSE(can.uniform());
  EXPECT_TRUE(can.of(nearness::node).direct_access);
  EXPECT_EQ(can.of(nearness::node).medium_bytes, 1024U);
  EXPECT_FALSE(can.of(nearness::remote).direct_access);
  EXPECT_EQ(can.of(nearness::remote).medium_bytes, 512U);
  const auto one_node = make_composite_world(parts_of({3}));
  EXPECT_TRUE(one_node->endpoint_of(0).describe().uniform());
}

TEST(composite, delivers_in_ranks_of_the_world) {
  const auto all = make_composite_world(parts_of({2, 3}));
  std::vector<recorded> sinks(5);
  for (int r = 0; r < 5; ++r) {
    all->endpoint_of(r).attach(r, &sinks[static_cast<std::size_t>(r)]);
  }
  for (int from = 0; from < 5; ++from) {
    for (int to = 0; to < 5; ++to) {
      message m;
      m.source = from;
      m.destination = to;
      ASSERT_EQ(all->endpoint_of(from).send(m, false).what, outcome::done) << from << to;
    }
  }
  for (int r = 0; r < 5; ++r) {
    while (all->endpoint_of(r).poll(r) != 0) {
    }
    std::vector<bool> seen(5);
    for (const message& m : sinks[static_cast<std::size_t>(r)].all) {
      EXPECT_EQ(m.destination, r);
      seen[static_cast<std::size_t>(m.source)] = true;
    }
    EXPECT_EQ(seen, std::vector<bool>(5, true)) << r;
    all->endpoint_of(r).attach(r, nullptr);
  }
}

TEST(composite, a_full_queue_of_one_part_delays_nobody_of_the_other) {  // E2
  const auto all = make_composite_world(parts_of({2, 2}));
  endpoint& from = all->endpoint_of(0);
  for (const auto& [full, other] : {std::pair(1, 2), std::pair(2, 1)}) {
    message m;
    m.source = 0;
    m.destination = full;
    m.kind = full == 1 ? lane::request : lane::reply;
    while (from.send(m, false).what == outcome::done) {
    }
    m.destination = other;
    EXPECT_EQ(from.send(m, false).what, outcome::done) << full;
  }
}

TEST(composite, throttles_the_requests_of_both_parts) {  // E4
  const auto all = make_composite_world(parts_of({2, 2}));
  all->endpoint_of(1).throttle(true);
  for (const int from : {0, 2}) {
    message m;
    m.source = from;
    m.destination = 1;
    EXPECT_EQ(all->endpoint_of(from).send(m, false).why, retry_reason::throttled) << from;
    EXPECT_EQ(all->endpoint_of(from).send(m, true).what, outcome::done) << from;
  }
}

TEST(composite, segments_are_addressed_inside_a_node_only) {
  const auto all = make_composite_world(parts_of({2, 2}));
  const memory_block block = all->endpoint_of(0).allocate(0, 64);
  const remote_memory near = all->endpoint_of(1).import(1, 0, block.key);
  EXPECT_EQ(near.direct, block.base);
  EXPECT_EQ(near.owner, 0);
  const remote_memory far = all->endpoint_of(3).import(3, 0, block.key);
  EXPECT_EQ(far.direct, nullptr);
  EXPECT_EQ(far.owner, 0);
  all->endpoint_of(1).forget(1, near);
  all->endpoint_of(3).forget(3, far);
  all->endpoint_of(0).release(0, block);
}

}  // namespace
}  // namespace upwash::conduit
