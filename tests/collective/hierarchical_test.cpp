// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives inside nodes by their memory and between nodes by messages, wherever ranks are: right
// in every interleaving, in the order of operands where it matters, near what they say they share,
// and with no more between nodes than leaders alone would send.
#include "upwash/collective/algorithms/hierarchical.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "tests/collective/cases.hpp"
#include "tests/collective/node_maps.hpp"
#include "tests/collective/omissions.hpp"
#include "tests/collective/rows.hpp"
#include "upwash/collective/candidates.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/collective/validate.hpp"
#include "upwash/schedule/price.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;
using namespace upwash::schedule;

constexpr kind kinds[] = {
    kind::barrier,        kind::all_reduce,   kind::all_gather,      kind::reduce, kind::all_to_all,
    kind::reduce_scatter, kind::broadcast,    kind::scatter,         kind::gather, kind::scan,
    kind::exclusive_scan, kind::all_gather_v, kind::reduce_scatter_v};

constexpr const char* name_of(kind of) {
  return of == kind::broadcast ? "hierarchical_memory" : "hierarchical";
}

using test::rows;

selection by(kind of, const std::string& text) { return rows().named(of, text); }

/// All values that are tried, and as many leaders as there can be.
std::vector<selection> selections(const problem& call) {
  const selection initial = by(call.of, name_of(call.of));
  std::vector<selection> all = candidates_of(*initial.chosen, call);
  if (call.of != kind::all_reduce) return all;
  for (std::uint64_t outer = 0; outer < 3; ++outer) {
    selection more = initial;
    more.with[0] = outer;
    more.with[1] = static_cast<std::uint64_t>(call.nodes->least_size());
    if (registry::objection(more, call).empty()) all.push_back(more);
  }
  return all;
}

/// So little scratch that blocks go in pieces of an element, or of two and a last one of one.
void give_little_scratch(problem& call, unsigned elements) {
  const selection one = by(call.of, name_of(call.of));
  call.node_scratch = 0;  // then it wants an element of each block
  call.node_scratch = one.schedule_of(call, 0).wants().shared_bytes * elements;
}

/// A rank's schedule, with lengths of blocks where it wants some: from none to four elements.
class told_schedule {
 public:
  told_schedule(const selection& one, const problem& call, int rank)
      : steps_(one.schedule_of(call, rank)), words_(steps_.wants().slots) {
    for (int r = 0; r < call.ranks; ++r) lengths_.push_back(static_cast<std::uint64_t>(r * 3 % 5));
    known_.given[0] = lengths_;
    known_.slots = words_;
  }
  [[nodiscard]] bool next(step& out) { return steps_.next(out, known_); }
  [[nodiscard]] needs wants() const { return steps_.wants(); }
  [[nodiscard]] std::uint64_t elements() const {
    return std::accumulate(lengths_.begin(), lengths_.end(), std::uint64_t{0});
  }

 private:
  generator steps_;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> lengths_;
  facts known_;
};

/// Calls of a team, some of each kind.
template <class Do>
void for_calls(int ranks, const Do& what) {
  for (const model::shared_node_map& nodes : test::node_maps(ranks)) {
    for (const kind of : kinds) {
      for (int variant = 0; variant < 6; ++variant) {
        const bool in_pieces = variant >= 4 && of != kind::barrier;
        if (in_pieces && ranks > 6) continue;  // many steps, each of which is compared with all
        problem call{.of = of, .ranks = ranks, .element_bytes = 4};
        call.bytes = of == kind::barrier ? 0
                     : in_pieces         ? 20
                                         : std::uint64_t{12} * static_cast<unsigned>(variant);
        call.nodes = nodes;
        call.root = is_rooted(of) || of == kind::broadcast ? (variant * 5 + 1) % ranks : 0;
        call.in_place = of != kind::barrier && of != kind::reduce_scatter_v && variant % 2 == 1;
        call.commutative = variant < 2 || variant == 4;
        if (in_pieces) give_little_scratch(call, variant == 4 ? 1 : 2);
        std::string places;
        for (int rank = 0; rank < ranks; ++rank) {
          places += ' ' + std::to_string(nodes->node_of(rank));
        }
        SCOPED_TRACE(testing::Message()
                     << to_string(of) << " of " << call.bytes << " bytes, root " << call.root
                     << (call.in_place ? ", in place" : "")
                     << (call.commutative ? "" : ", in order") << ", nodes" << places);
        what(call);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

/// What a rank sends to other nodes.
struct traffic {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

traffic between_nodes(const selection& one, const problem& call) {
  traffic all;
  for (int rank = 0; rank < call.ranks; ++rank) {
    told_schedule steps(one, call, rank);
    for (step s; steps.next(s);) {
      if (s.kind != step_kind::send) continue;
      if (call.nodes->node_of(s.peer) == call.nodes->node_of(rank)) continue;
      ++all.messages;
      all.bytes += s.left.bytes;
    }
  }
  return all;
}

}  // namespace

TEST(hierarchical, fits_its_definition_wherever_ranks_are) {
  int proven = 0;
  for (int ranks = 2; ranks <= (test::sanitized ? 6 : 8); ++ranks) {
    for_calls(ranks, [&](const problem& call) {
      for (const selection& one : selections(call)) {
        ASSERT_EQ(collective::validate(one, call, static_cast<std::uint64_t>(++proven)), "")
            << text_of(one);
      }
    });
    if (HasFailure()) return;
  }
  EXPECT_GT(proven, 1000);
}

TEST(hierarchical, shares_memory_and_counters_inside_nodes_only) {
  for (const int ranks : {2, 5, 7, 12}) {
    for_calls(ranks, [&](const problem& call) {
      for (const selection& one : selections(call)) {
        for (int rank = 0; rank < ranks; ++rank) {
          told_schedule steps(one, call, rank);
          const needs wants = steps.wants();
          ASSERT_TRUE(wants.inside_nodes && !wants.edges_apart);
          ASSERT_LE(wants.shared_bytes, call.node_scratch);
          const auto is_near = [&](int peer) {
            return peer == own || call.nodes->node_of(peer) == call.nodes->node_of(rank);
          };
          for (step s; steps.next(s);) {
            const bool counts = s.kind == step_kind::signal || s.kind == step_kind::await;
            ASSERT_TRUE(!counts || is_near(s.peer)) << text_of(one);
            for (const piece& p : {s.left, s.right, s.into}) {
              ASSERT_TRUE(is_near(p.owner)) << text_of(one);
              ASSERT_TRUE(p.of != buffer::shared || p.end() <= wants.shared_bytes)
                  << text_of(one) << " rank " << rank << ": " << p.offset << " " << p.bytes;
            }
            for (const std::uint32_t distance : s.after) ASSERT_LE(distance, wants.window);
          }
        }
      }
    });
    if (HasFailure()) return;
  }
}

TEST(hierarchical, sends_between_nodes_what_leaders_alone_would) {
  problem call{.of = kind::all_reduce, .ranks = 32, .bytes = 64, .element_bytes = 8};
  call.nodes = test::blocks_of_nodes(32, 8);
  const traffic doubling = between_nodes(by(kind::all_reduce, "hierarchical"), call);
  EXPECT_EQ(doubling.messages, 4U * 2U) << "4 nodes, 2 rounds";
  EXPECT_EQ(doubling.bytes, 8U * 64U);
  EXPECT_EQ(between_nodes(by(kind::all_reduce, "recursive_doubling"), call).messages, 32U * 2U);
  const traffic ring = between_nodes(by(kind::all_reduce, "hierarchical:outer=2"), call);
  EXPECT_EQ(ring.messages, 4U * 2U * 3U);
  EXPECT_EQ(ring.bytes, 4U * 2U * 3U * 16U);
  const traffic parts = between_nodes(by(kind::all_reduce, "hierarchical:leaders=4"), call);
  EXPECT_EQ(parts.messages, 4U * doubling.messages);
  EXPECT_EQ(parts.bytes, doubling.bytes) << "a part of the vector each";

  call.of = kind::barrier;
  call.bytes = 0;
  EXPECT_EQ(between_nodes(by(kind::barrier, "hierarchical"), call).messages, 8U);
  EXPECT_EQ(between_nodes(by(kind::barrier, "dissemination"), call).messages,
            4U * (1U + 2U + 4U + 8U + 8U))
      << "in each round more ranks of a node tell another one";

  call.of = kind::all_gather;
  call.bytes = 8;
  const traffic gathered = between_nodes(by(kind::all_gather, "hierarchical"), call);
  EXPECT_EQ(gathered.messages, 8U);
  EXPECT_EQ(gathered.bytes, 4U * 3U * 64U) << "each node wants the blocks of three others";

  call.of = kind::all_to_all;
  const traffic exchanged = between_nodes(by(kind::all_to_all, "hierarchical"), call);
  EXPECT_EQ(exchanged.messages, 4U * 3U) << "one from each node to each other one";
  EXPECT_EQ(exchanged.bytes, 32U * 24U * 8U) << "each block once";
  EXPECT_EQ(between_nodes(by(kind::all_to_all, "direct"), call).messages, 32U * 24U);

  call.of = kind::reduce_scatter;
  const traffic scattered = between_nodes(by(kind::reduce_scatter, "hierarchical"), call);
  EXPECT_EQ(scattered.messages, 4U * 3U);
  EXPECT_EQ(scattered.bytes, 4U * 3U * 64U) << "combined before it is sent";
  EXPECT_EQ(between_nodes(by(kind::reduce_scatter, "pairwise"), call).messages, 32U * 24U);

  call.of = kind::reduce;
  call.bytes = 64;
  call.root = 13;
  EXPECT_EQ(between_nodes(by(kind::reduce, "hierarchical"), call).messages, 3U);

  for (const kind of : {kind::broadcast, kind::scatter, kind::gather}) {
    call.of = of;
    call.bytes = of == kind::broadcast ? 64 : 8;
    const traffic down = between_nodes(by(of, name_of(of)), call);
    EXPECT_EQ(down.messages, 3U) << to_string(of);
    EXPECT_EQ(down.bytes, 64U * (of == kind::broadcast ? 3 : 4))
        << to_string(of) << ": blocks of one node two levels down";
  }
  call.bytes = 64;
  for (const kind of : {kind::scan, kind::exclusive_scan}) {
    call.of = of;
    EXPECT_EQ(between_nodes(by(of, "hierarchical"), call).messages, 3U + 2U + 1U)
        << to_string(of) << ": a shift, then two rounds of three nodes";
  }

  call.of = kind::reduce_scatter;
  call.node_scratch = 8 * (32 + 8);
  call.bytes = 80;
  const traffic in_pieces = between_nodes(by(kind::reduce_scatter, "hierarchical"), call);
  EXPECT_EQ(in_pieces.messages, 10U * scattered.messages);
  EXPECT_EQ(in_pieces.bytes, 10U * scattered.bytes);
}

TEST(hierarchical, sends_blocks_of_different_lengths_between_nodes_once) {
  problem call{.of = kind::all_gather_v, .ranks = 32, .bytes = 64, .element_bytes = 8};
  call.nodes = test::blocks_of_nodes(32, 8);
  EXPECT_EQ(between_nodes(by(call.of, "hierarchical"), call).messages, 8U);
  EXPECT_EQ(between_nodes(by(call.of, "ring"), call).messages, 4U * 31U);
  call.of = kind::reduce_scatter_v;
  const std::uint64_t all_blocks = told_schedule(by(call.of, "ring"), call, 0).elements() * 8;
  const traffic uneven = between_nodes(by(call.of, "hierarchical"), call);
  EXPECT_EQ(uneven.messages, 4U * 3U);
  EXPECT_EQ(uneven.bytes, 3U * all_blocks) << "each block from each other node once";
  EXPECT_EQ(between_nodes(by(call.of, "pairwise"), call).messages, 32U * 24U);
}

TEST(hierarchical, broadcast_is_composed_of_messages_and_the_memory_of_nodes) {
  for (const int ranks : {4, 5, 8, 9}) {
    for (int root = 0; root < ranks; ++root) {
      problem call{.of = kind::broadcast, .ranks = ranks, .bytes = 12, .root = root};
      call.in_place = true;
      const selection composed = by(kind::broadcast, "composed");
      EXPECT_NE(registry::objection(composed, call), "") << "nobody shares memory";
      call.nodes = test::blocks_of_nodes(ranks, 4);
      if (!call.nodes) continue;
      EXPECT_NE(registry::objection(composed, call), "") << "nodes are not alike";
      call.ranks_per_node = 4;
      ASSERT_EQ(collective::validate(composed, call, 1), "");
      EXPECT_EQ(between_nodes(composed, call).messages,
                static_cast<std::uint64_t>(call.nodes->nodes() - 1));
      const needs wants = composed.schedule_of(call, root).wants();
      EXPECT_TRUE(wants.inside_nodes && !wants.edges_apart);
    }
  }
}

TEST(hierarchical, says_what_it_cannot_serve) {
  problem call{.of = kind::all_reduce, .ranks = 4, .bytes = 8, .element_bytes = 8};
  const auto why = [&](const std::string& text) {
    return registry::objection(by(call.of, text), call);
  };
  EXPECT_EQ(why("hierarchical"),
            "hierarchical needs several nodes, and ranks that load and store each other's memory "
            "inside them");
  const std::vector<int> in_turn{0, 1, 0, 1};
  call.nodes = test::shared_map(model::node_map(in_turn));
  EXPECT_EQ(why("hierarchical"), "");
  EXPECT_EQ(why("hierarchical:leaders=3"), "hierarchical: 3 leaders, and a node with 2 ranks");
  call.commutative = false;
  EXPECT_EQ(why("hierarchical"),
            "hierarchical: nodes do not follow each other in the order of ranks, and the operator "
            "does not commute");
  call.nodes = test::blocks_of_nodes(4, 2);
  EXPECT_EQ(why("hierarchical"), "");
  EXPECT_EQ(why("hierarchical:outer=2"),
            "hierarchical: outer=2, a ring, needs a commutative operator");
  call.bytes = 1000;
  call.node_scratch = 7;
  EXPECT_EQ(why("hierarchical"),
            "hierarchical: 8 bytes are more than the 7 of a node's shared scratch");
  call.node_scratch = 999;
  EXPECT_EQ(why("hierarchical"), "") << "in pieces";
  call.of = kind::scan;
  call.nodes = test::shared_map(model::node_map(in_turn));
  EXPECT_EQ(why("hierarchical"),
            "hierarchical: nodes do not follow each other in the order of ranks");
  call.nodes = test::blocks_of_nodes(4, 2);
  const auto least_room = [&](kind of, std::uint64_t blocks) {
    call.of = of;
    call.node_scratch = 8 * blocks;
    EXPECT_EQ(why(name_of(of)), "") << to_string(of) << ", elements one by one";
    call.node_scratch -= 1;
    EXPECT_EQ(why(name_of(of)),
              "hierarchical: " + std::to_string(8 * blocks) + " bytes are more than the " +
                  std::to_string(call.node_scratch) + " of a node's shared scratch");
  };
  least_room(kind::reduce, 1);
  least_room(kind::broadcast, 1);
  least_room(kind::scan, 3);
  for (const kind of : {kind::all_gather, kind::scatter, kind::gather, kind::all_gather_v}) {
    least_room(of, 4);
  }
  least_room(kind::all_to_all, 2 + 2 * 4);
  for (const kind of : {kind::reduce_scatter, kind::reduce_scatter_v}) least_room(of, 4 + 2);
}

TEST(hierarchical, wins_by_price_where_messages_between_nodes_cost) {
  machine on = load_machine("edr");
  EXPECT_FALSE(on.processor.edge) << "then it need not be taken from elsewhere";
  on.processor.edge = load_machine("laptop").processor.edge;
  const predictor by_price(on);
  for (const kind of : kinds) {
    problem call{.of = of, .ranks = 32, .element_bytes = 8};
    call.bytes = of == kind::barrier ? 0 : 8;
    call.ranks_per_node = 8;
    call.nodes = test::blocks_of_nodes(32, 8);
    const auto best = ranking(candidates(rows(), call), call, by_price, 200'000);
    EXPECT_EQ(best.front().what.chosen->is.name, name_of(of))
        << to_string(of) << ": " << text_of(best.front().what);
  }
}

TEST(hierarchical, pays_for_its_messages_where_no_network_is_known) {
  const machine on = load_machine("laptop");
  machine free_of_edges = on;
  free_of_edges.processor.edge.reset();
  problem call{.of = kind::all_reduce, .ranks = 8, .bytes = 8, .element_bytes = 8};
  call.nodes = test::blocks_of_nodes(8, 2);
  const auto all = candidates_of(*by(kind::all_reduce, "hierarchical").chosen, call);
  ASSERT_FALSE(all.empty());
  for (const selection& each : all) {
    const auto paid = predictor(on).predict(each, call, 200'000).time;
    const auto unpaid = predictor(free_of_edges).predict(each, call, 200'000).time;
    ASSERT_TRUE(paid && unpaid) << text_of(each);
    EXPECT_GT(*paid, *unpaid) << text_of(each);
  }
}

TEST(hierarchical, waits_for_nothing_in_vain) {
  const std::vector<int> places{0, 0, 0, 1, 1, 2};
  const model::node_map nodes(places);
  const auto call_of = [&](int rank, std::uint64_t bytes, bool in_place) {
    return hierarchical_call{
        .nodes = &nodes, .rank = rank, .bytes = bytes, .in_place = in_place, .scratch_bytes = 1024};
  };
  const auto all_of_six = [](int, std::uint64_t e) { return all_ranks(6, e); };
  for (const bool in_place : {false, true}) {
    expectation sums;
    sums.ranks = 6;
    sums.input_bytes = sums.output_bytes = 2;
    sums.in_place = in_place;
    const auto reduces = [&](int rank) {
      return hierarchical_all_reduce(call_of(rank, 2, in_place), 1, leaders_reduce::by_doubling);
    };
    // What comes waits for the entry, though only what is combined with it at once would have to.
    EXPECT_EQ(needless(sums, reduces, all_of_six),
              in_place ? "rank 0, step 6: 4; " : "rank 0, step 6: 4; rank 5, step 2: 2; ");
    const expectation blocks = gathering(6, 1, in_place);
    const auto gathers = [&](int rank) {
      return hierarchical_all_gather(call_of(rank, 1, in_place), leaders_gather::by_ring);
    };
    const auto wanted = [&](int, std::uint64_t e) { return gathered(blocks, e); };
    EXPECT_EQ(needless(blocks, gathers, wanted), "") << in_place;
  }
  expectation exchanged;
  exchanged.ranks = 6;
  exchanged.input_bytes = exchanged.output_bytes = 6;
  const auto trades = [&](int rank) { return hierarchical_all_to_all(call_of(rank, 1, false)); };
  EXPECT_EQ(needless(exchanged, trades,
                     [](int rank, std::uint64_t e) {
                       return abstract_value{{static_cast<int>(e), static_cast<unsigned>(rank)}};
                     }),
            "");
  exchanged.output_bytes = 1;
  const auto scatters = [&](int rank) {
    return hierarchical_reduce_scatter(call_of(rank, 1, false), false);
  };
  EXPECT_EQ(needless(exchanged, scatters,
                     [](int rank, std::uint64_t) {
                       return all_ranks(6, static_cast<std::uint64_t>(rank));
                     }),
            "");
  expectation meeting;
  meeting.ranks = 6;
  meeting.synchronizes = true;
  const auto meets = [&](int rank) { return hierarchical_barrier(call_of(rank, 0, false), 2); };
  // Who has no others to tell needs no end of its receives, as in any such barrier.
  EXPECT_EQ(needless(meeting, meets, nothing_wanted), "rank 5, step 2: 1; rank 5, step 3: 2; ");
}
