// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A broadcast over nodes and their ranks, and the composition it is made of.
#include <gtest/gtest.h>

#include <string>

#include "tests/collective/trees.hpp"
#include "tests/sanitized.hpp"
#include "upwash/collective/algorithms/broadcasts.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/schedule/price.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;
using namespace upwash::schedule;

struct call {
  int ranks = 1;
  int root = 0;
  int ranks_per_node = 1;
  std::uint64_t bytes = 0;
  broadcast_trees with{};
  bool in_place = false;

  [[nodiscard]] generator of_rank(int rank) const {
    return generator(
        hierarchical_broadcast(ranks, rank, root, ranks_per_node, bytes, with, in_place));
  }
  [[nodiscard]] std::uint64_t segments() const {
    if (with.segment_bytes == 0 || bytes == 0) return 1;
    return (bytes + with.segment_bytes - 1) / with.segment_bytes;
  }
};

void expect_broadcast(const call& c, std::uint64_t times) {
  SCOPED_TRACE(testing::Message() << "root " << c.root << ", nodes of " << c.ranks_per_node
                                  << ", radix " << c.with.among_nodes.k << ", segments of "
                                  << c.with.segment_bytes << (c.in_place ? ", in place" : ""));
  const auto of_rank = [&](int rank) { return c.of_rank(rank); };
  expectation of;
  of.ranks = c.ranks;
  of.input_bytes = of.output_bytes = c.bytes;
  of.in_place = c.in_place;
  expect_valid(
      of, of_rank,
      [&](int, std::uint64_t e) {
        return abstract_value{{c.root, static_cast<std::uint32_t>(e)}};
      },
      times);
  std::uint64_t messages = 0;
  std::uint64_t between_nodes = 0;
  for (int rank = 0; rank < c.ranks; ++rank) {
    generator steps = c.of_rank(rank);
    for (step s; steps.next(s);) {
      if (s.kind != step_kind::send) continue;
      ++messages;
      if (s.peer / c.ranks_per_node != rank / c.ranks_per_node) ++between_nodes;
    }
  }
  const int nodes = (c.ranks + c.ranks_per_node - 1) / c.ranks_per_node;
  EXPECT_EQ(messages, static_cast<std::uint64_t>(c.ranks - 1) * c.segments());
  EXPECT_EQ(between_nodes, static_cast<std::uint64_t>(nodes - 1) * c.segments());
}

}  // namespace

TEST(hierarchical_broadcast, reaches_all_and_each_node_once) {
  for (int ranks = 1; ranks <= most_ranks(); ++ranks) {
    for (const int each : {1, 3, 4, 40}) {
      for (const int root : {0, ranks / 2, ranks - 1}) {
        for (const bool in_place : {false, true}) {
          expect_broadcast({ranks, root, each, 13, {{}, {}, 3}, in_place}, 1);
        }
      }
    }
    for (const std::uint64_t bytes : {0, 1, 3, 8, 1000}) {
      expect_broadcast({ranks, ranks / 3, 4, bytes, {{}, {}, 0}, false}, 1);
      expect_broadcast(
          {ranks, ranks / 3, 5, bytes, {model::knomial_tree(3), model::kary_tree(4), 500}, false},
          1);
    }
  }
}

TEST(hierarchical_broadcast, is_valid_for_parameters_drawn_at_random) {
  const std::uint64_t draws = long_run() ? 400 : 60;
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    random_stream random(seed, 1);
    const auto at_most = [&](int most) {
      return static_cast<int>(random.below(static_cast<std::uint64_t>(most))) + 1;
    };
    call c;
    c.ranks = at_most(most_ranks());
    c.root = at_most(c.ranks) - 1;
    c.ranks_per_node = at_most(c.ranks);
    c.bytes = random.below(50);
    c.with = {drawn_shape(random), drawn_shape(random), random.below(20)};
    c.in_place = random.below(2) != 0;
    expect_broadcast(c, 2);
  }
}

TEST(hierarchical_broadcast, hands_on_a_segment_before_the_next_comes) {
  // Rank 4 stands for the second of two nodes of 4: it gets segment 0, hands it to ranks 6 and 5,
  // and only then waits for segment 1.
  const call c{.ranks = 8, .ranks_per_node = 4, .bytes = 6, .with = {{}, {}, 3}};
  generator steps = c.of_rank(4);
  std::string seen;
  for (step s; steps.next(s);) {
    seen += (s.kind == step_kind::receive ? "from " : "to ") + std::to_string(s.peer) + " edge " +
            std::to_string(s.edge) + "; ";
  }
  EXPECT_EQ(seen,
            "from 0 edge 0; to 6 edge 0; to 5 edge 0; from 0 edge 1; to 6 edge 1; to 5 edge 1; ");
}

TEST(hierarchical_broadcast, goes_on_behind_segments_passed_over_as_if_it_had_walked_them) {
  for (const int ranks : {1, 2, 5, 7, 16}) {
    for (const int each : {1, 3, 4, 16}) {
      for (const bool in_place : {false, true}) {
        const call c{ranks, ranks / 2, each, 100, {{}, {}, 7}, in_place};
        for (int rank = 0; rank < ranks; ++rank) {
          generator walked = c.of_rank(rank);
          generator leaps = c.of_rank(rank);
          step s;
          step t;
          std::uint64_t left = 0;
          while (left == 0 && leaps.next(t)) left = leaps.repeats().rounds;
          if (left == 0) continue;  // a root alone and in place has nothing to do
          EXPECT_EQ(left, 13U) << ranks << " ranks, nodes of " << each << ", rank " << rank;
          leaps.skip(6);
          // 14 whole segments and a shorter one: behind the first and 6 more, number 7.
          while (walked.next(s) && s.round < 7) {
          }
          while (leaps.next(t)) {
            EXPECT_EQ(t.kind, s.kind);
            EXPECT_EQ(t.edge, s.edge);
            EXPECT_EQ(t.round, s.round);
            EXPECT_EQ(t.peer, s.peer);
            EXPECT_EQ(t.left, s.left);
            EXPECT_EQ(t.into, s.into);
            EXPECT_EQ(t.after, s.after);
            if (!walked.next(s)) s = {};
          }
          EXPECT_EQ(s.round, 0U);  // both are at their end
        }
      }
    }
  }
}

TEST(hierarchical_broadcast, is_priced_without_walking_all_segments) {
  const call c{
      .ranks = 64, .root = 5, .ranks_per_node = 8, .bytes = 4'000'000, .with = {{}, {}, 500}};
  const auto of_rank = [&](int rank) { return c.of_rank(rank); };
  const machine on =
      uniform_machine(duration::from_us(5), duration::from_us(1), duration::from_us(1.5), 0.5);
  price_options options;
  options.free_where_absent = true;
  options.steps_before_skipping = 1'000'000'000;
  const price_result walked = price(c.ranks, of_rank, on, {}, options);
  EXPECT_EQ(walked.rounds_skipped, 0U);
  options.steps_before_skipping = 100'000;
  const price_result leaps = price(c.ranks, of_rank, on, {}, options);
  EXPECT_GT(leaps.rounds_skipped, 5000U);
  EXPECT_NEAR(leaps.completion.us(), walked.completion.us(), 0.03 * walked.completion.us());
  EXPECT_NEAR(leaps.processor_most.us(), walked.processor_most.us(),
              0.03 * walked.processor_most.us());
}

TEST(hierarchical_broadcast, answers_at_once_on_huge_teams) {
  const call c{.ranks = 131'072,
               .root = 77'777,
               .ranks_per_node = 48,
               .bytes = std::uint64_t{1} << 40U,
               .with = {model::knomial_tree(4), model::binary_tree(), 1U << 20U}};
  for (const int rank : {0, 48, 77'777, 131'071}) {
    generator steps = c.of_rank(rank);
    step s;
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(steps.next(s));
  }
}

TEST(composed_broadcast, reaches_all_by_any_inner_and_any_outer) {
  registry all;
  add_algorithms(all);
  for (int ranks = 1; ranks <= (long_run() ? most_ranks() : 19); ranks += test::sanitized ? 9 : 3) {
    for (std::uint64_t outer = 0; outer < 4; ++outer) {
      for (std::uint64_t inner = 0; inner < 4; ++inner) {
        for (const int group : {1, 3, 4}) {
          const problem call{.of = kind::broadcast,
                             .ranks = ranks,
                             .bytes = 9000,
                             .root = ranks / 2,
                             .in_place = true,
                             .ranks_per_node = 4,
                             .direct_access = true};
          const selection chosen =
              all.named(kind::broadcast, "composed:outer=" + std::to_string(outer) +
                                             ",inner=" + std::to_string(inner) +
                                             ",group=" + std::to_string(group == 4 ? 0 : group));
          ASSERT_EQ(registry::objection(chosen, call), "");
          SCOPED_TRACE(testing::Message()
                       << "outer " << outer << ", inner " << inner << ", group " << group);
          expectation of;
          of.ranks = ranks;
          of.element_bytes = 1;
          of.input_bytes = of.output_bytes = call.bytes;
          of.in_place = true;
          expect_valid(
              of, [&](int rank) { return chosen.schedule_of(call, rank); },
              [&](int, std::uint64_t e) {
                return abstract_value{{call.root, static_cast<std::uint32_t>(e)}};
              },
              1);
        }
      }
    }
  }
}
