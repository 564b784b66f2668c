// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Each dependency of an algorithm is needed: without it the validator finds something wrong. So the
// algorithms wait for no more than they must, and the validator sees what matters.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/collective/cases.hpp"
#include "tests/collective/omissions.hpp"
#include "upwash/collective/algorithms/all_gathers.hpp"
#include "upwash/collective/algorithms/all_reduces.hpp"
#include "upwash/collective/algorithms/all_to_alls.hpp"
#include "upwash/collective/algorithms/barriers.hpp"
#include "upwash/collective/algorithms/broadcasts.hpp"
#include "upwash/collective/algorithms/long_broadcasts.hpp"
#include "upwash/collective/algorithms/mesh_all_gather.hpp"
#include "upwash/collective/algorithms/one_round.hpp"
#include "upwash/collective/algorithms/reduce_scatters.hpp"
#include "upwash/collective/algorithms/reduces.hpp"
#include "upwash/collective/algorithms/scans.hpp"
#include "upwash/collective/algorithms/shared_reduces.hpp"
#include "upwash/collective/algorithms/sparse_exchange.hpp"
#include "upwash/collective/algorithms/tree_barriers.hpp"
#include "upwash/collective/algorithms/trees_of_blocks.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;
using namespace upwash::schedule;

}  // namespace

TEST(omissions, are_found_in_reductions_and_scans) {
  expectation of;
  of.ranks = 5;
  of.element_bytes = 4;
  of.input_bytes = of.output_bytes = 40;
  const auto ring = [](int rank) { return generator(ring_all_reduce(5, rank, 10, 4, false)); };
  EXPECT_EQ(needless(of, ring, [](int, std::uint64_t e) { return all_ranks(5, e); }), "");
  // What is combined so far is behind its send, too, where there is one: at all but the last ranks.
  const auto scan = [](int rank) { return generator(doubling_scan(5, rank, 40, false)); };
  EXPECT_EQ(needless(of, scan, [](int rank, std::uint64_t e) { return all_ranks(rank + 1, e); }),
            "rank 1, step 3: 3; rank 2, step 3: 3; rank 2, step 6: 3; rank 3, step 3: 3; ");
}

TEST(omissions, are_found_in_broadcasts) {
  expectation of;
  of.ranks = 7;
  of.input_bytes = of.output_bytes = 4;
  const auto wanted = [](int, std::uint64_t e) {
    return abstract_value{{1, static_cast<std::uint32_t>(e)}};
  };
  const auto flat = [](int rank) {
    return generator(tree_broadcast(7, rank, 1, 4, {model::binomial_tree(), 2}, false));
  };
  EXPECT_EQ(needless(of, flat, wanted), "");
  const auto nodes = [](int rank) {
    return generator(hierarchical_broadcast(7, rank, 1, 3, 4, {{}, {}, 2}, false));
  };
  EXPECT_EQ(needless(of, nodes, wanted), "");
}

TEST(omissions, are_found_in_all_gathers) {
  for (const bool in_place : {false, true}) {
    const expectation of = gathering(8, 1, in_place);
    const auto wanted = [&of](int, std::uint64_t e) { return gathered(of, e); };
    const auto prefix = [in_place](int rank) {
      return generator(k_prefix_all_gather(8, rank, 1, 4, 0, in_place));
    };
    EXPECT_EQ(needless(of, prefix, wanted), "");
  }
}

TEST(omissions, are_found_in_one_round) {
  for (const bool in_place : {false, true}) {
    const auto gathers = gathering(5, 1, in_place);
    for (const auto from : {round_source::shared_scratch, round_source::buffer}) {
      const auto steps = [&](int rank) {
        return generator(one_round(round_task::all_gather, from, {5, rank, 0, 1, in_place}));
      };
      EXPECT_EQ(
          needless(gathers, steps, [&](int, std::uint64_t e) { return gathered(gathers, e); }), "");
    }
    expectation sums;
    sums.ranks = 5;
    sums.input_bytes = sums.output_bytes = 1;
    sums.in_place = in_place;
    const auto reduces = [&](int rank) {
      return generator(one_round(round_task::all_reduce, round_source::shared_scratch,
                                 {5, rank, 0, 1, in_place}));
    };
    const auto all_of_five = [](int, std::uint64_t e) { return all_ranks(5, e); };
    EXPECT_EQ(needless(sums, reduces, all_of_five), "");
    sums.input_bytes = sums.output_bytes = 10;
    const auto segments = [&](int rank) {
      return generator(shared_segments({5, rank, shared_segments_call::all, 10, 1, in_place}));
    };
    EXPECT_EQ(needless(sums, segments, all_of_five), "");
  }
}

TEST(omissions, are_found_in_barriers) {
  expectation of;
  of.ranks = 4;
  of.synchronizes = true;
  const auto central = [](int) { return generator(central_counter_barrier(4)); };
  EXPECT_EQ(needless(of, central, nothing_wanted), "");
  // The receives of a rank follow each other only so that the last one is the end of them all.
  const auto rounds = [](int rank) { return generator(dissemination_barrier(4, rank)); };
  EXPECT_EQ(needless(of, rounds, nothing_wanted),
            "rank 0, step 3: 2; rank 1, step 3: 2; rank 2, step 3: 2; rank 3, step 3: 2; ");
}

TEST(omissions, are_found_in_the_sparse_exchange) {
  // Collect, four sends, two rounds of the barrier, close. As in any barrier of this kind the last
  // receive waits for the one before only to be the end.
  constexpr int ranks = 4;
  expectation of;
  of.ranks = ranks;
  of.input_bytes = 1;
  of.calls.resize(ranks);
  for (int source = 0; source < ranks; ++source) {
    auto& given = of.calls[static_cast<std::size_t>(source)].given;
    given[0] = {0, 1, 2, 3};
    given[1] = {1, 1, 1, 1};
    given[2] = {0, 0, 0, 0};
    for (rank_call& call : of.calls) call.collected.push_back({source, {{{source, 0}}}});
  }
  const auto exchange = [](int rank) { return generator(sparse_exchange(ranks, rank)); };
  EXPECT_EQ(needless(of, exchange, nothing_wanted),
            "rank 0, step 8: 2; rank 1, step 8: 2; rank 2, step 8: 2; rank 3, step 8: 2; ");
}

TEST(omissions, are_found_in_reductions_up_trees) {
  // Five of the six others hang below rank 1, which takes them through four slots.
  expectation of;
  of.ranks = 7;
  of.element_bytes = 4;
  of.input_bytes = of.output_bytes = 16;
  of.commutative = false;
  const auto wanted = [](int, std::uint64_t e) { return all_ranks(7, e); };
  for (const bool in_place : {false, true}) {
    of.in_place = in_place;
    const auto both = [in_place](int rank) {
      return generator(reduce_broadcast(
          7, rank, 16, 4, {model::kary_tree(5), model::binomial_tree(), 8}, in_place));
    };
    EXPECT_EQ(needless(of, both, wanted), "");
  }
  of.in_place = false;
  const auto crossing = [](int rank) {
    return generator(tree_reduce(7, rank, 3, 16, 4, {model::chain_tree(), 4, true}));
  };
  const auto at_root = [](int rank, std::uint64_t e) {
    return rank == 3 ? all_ranks(7, e) : abstract_value{};
  };
  EXPECT_EQ(needless(of, crossing, at_root), "");
  of.commutative = true;
  of.input_bytes = of.output_bytes = 28;
  const auto ring = [](int rank) { return generator(ring_reduce(7, rank, 3, 7, 4)); };
  EXPECT_EQ(needless(of, ring, at_root), "");
}

TEST(omissions, are_found_in_scatters_and_gathers) {
  // Rank 6 heads ranks 6 and 0: its blocks lie in two parts at the root.
  expectation of;
  of.ranks = 7;
  of.input_bytes = of.output_bytes = 14;
  const auto scattered = [](int rank, std::uint64_t e) {
    if (e >= 2) return abstract_value{};
    return abstract_value{
        {4, static_cast<std::uint32_t>(2 * rank) + static_cast<std::uint32_t>(e)}};
  };
  const auto down = [](int rank) {
    return generator(tree_scatter(7, rank, 4, 2, model::binomial_tree()));
  };
  EXPECT_EQ(needless(of, down, scattered), "");
  const auto gathered_at = [](int rank, std::uint64_t e) {
    if (rank != 4) return abstract_value{};
    return abstract_value{{static_cast<int>(e / 2), static_cast<std::uint32_t>(e % 2)}};
  };
  const auto up = [](int rank) {
    return generator(tree_gather(7, rank, 4, 2, model::binomial_tree()));
  };
  // Each part waits for all that its sender collects.
  EXPECT_EQ(needless(of, up, gathered_at), "rank 6, step 2: 2; rank 6, step 3: 2; ");
}

TEST(omissions, are_found_in_broadcasts_down_two_trees) {
  expectation of;
  of.ranks = 7;
  of.input_bytes = of.output_bytes = 14;
  const auto wanted = [](int, std::uint64_t e) {
    return abstract_value{{1, static_cast<std::uint32_t>(e)}};
  };
  const auto twice = [](int rank) {
    return generator(double_tree_broadcast(7, rank, 1, 14, 4, false));
  };
  EXPECT_EQ(needless(of, twice, wanted), "");
}

TEST(omissions, are_found_in_barriers_on_trees) {
  expectation of;
  of.ranks = 7;
  of.synchronizes = true;
  const auto messages = [](int rank) {
    return generator(tree_barrier(7, rank, 2, model::kary_tree(2)));
  };
  EXPECT_EQ(needless(of, messages, nothing_wanted), "");
  for (const auto arrival : {signalling::push, signalling::pull}) {
    for (const auto release : {signalling::push, signalling::pull}) {
      const auto counters = [=](int rank) {
        return generator(signal_tree_barrier(7, rank, 2, {model::kary_tree(2), arrival, release}));
      };
      EXPECT_EQ(needless(of, counters, nothing_wanted), "");
    }
  }
}
TEST(omissions, are_found_in_all_gathers_with_few_messages) {
  for (const bool in_place : {false, true}) {
    SCOPED_TRACE(in_place ? "in place" : "not in place");
    const auto needless_of = [&](int ranks, const auto& schedule_of) {
      const expectation of = gathering(ranks, 1, in_place);
      return needless(of, schedule_of, [&of](int, std::uint64_t e) { return gathered(of, e); });
    };
    // Rank 0 has nothing to turn: its last copy is of no bytes.
    EXPECT_EQ(needless_of(5,
                          [&](int rank) {
                            return generator(
                                dissemination_all_gather(blocks::alike(5, 1), rank, 2, in_place));
                          }),
              "rank 0, step 8: 2; ");
    EXPECT_EQ(
        needless_of(
            6, [&](int rank) { return generator(hypercube_all_gather(6, rank, 1, 0, in_place)); }),
        "");
    EXPECT_EQ(
        needless_of(
            8, [&](int rank) { return generator(hypercube_all_gather(8, rank, 1, 2, in_place)); }),
        "");
    EXPECT_EQ(needless_of(6,
                          [&](int rank) {
                            return generator(neighbor_exchange_all_gather(6, rank, 1, in_place));
                          }),
              "");
    EXPECT_EQ(
        needless_of(
            7, [&](int rank) { return generator(k_shift_all_gather(7, rank, 1, 3, in_place)); }),
        "");
    EXPECT_EQ(needless_of(
                  7, [&](int rank) { return generator(mesh_all_gather(7, rank, 1, 2, in_place)); }),
              "");
    EXPECT_EQ(needless_of(
                  8, [&](int rank) { return generator(mesh_all_gather(8, rank, 1, 3, in_place)); }),
              "");
  }
}

TEST(omissions, are_found_in_reductions_on_cubes) {
  for (const bool in_place : {false, true}) {
    SCOPED_TRACE(in_place ? "in place" : "not in place");
    expectation of;
    of.element_bytes = 4;
    of.input_bytes = of.output_bytes = 40;
    of.in_place = in_place;
    const auto needless_of = [&](int ranks, const auto& schedule_of) {
      of.ranks = ranks;
      return needless(of, schedule_of, [&](int, std::uint64_t e) { return all_ranks(ranks, e); });
    };
    EXPECT_EQ(needless_of(6,
                          [&](int rank) {
                            return generator(cube_all_reduce(6, rank, 10, 4,
                                                             exchanges::whole_vectors, in_place));
                          }),
              "");
    EXPECT_EQ(needless_of(6,
                          [&](int rank) {
                            return generator(
                                cube_all_reduce(6, rank, 10, 4, exchanges::halves, in_place));
                          }),
              "");
    EXPECT_EQ(needless_of(9,
                          [&](int rank) {
                            return generator(dissemination_all_reduce(9, rank, 40, 3, in_place));
                          }),
              "");
    of.ranks = 5;
    EXPECT_EQ(needless(
                  of, [&](int rank) { return generator(linear_scan(5, rank, 40, in_place)); },
                  [](int rank, std::uint64_t e) { return all_ranks(rank + 1, e); }),
              "");
    // As in the scan that it is made of.
    EXPECT_EQ(
        needless(
            of, [&](int rank) { return generator(doubling_exclusive_scan(5, rank, 40, in_place)); },
            [&](int rank, std::uint64_t e) {
              return all_ranks(rank == 0 && in_place ? 1 : rank, e);
            }),
        "rank 2, step 4: 3; rank 3, step 4: 3; ");
  }
}

TEST(omissions, are_found_in_reduce_scatters) {
  const auto needless_of = [](int ranks, const auto& schedule_of) {
    expectation of;
    of.ranks = ranks;
    of.element_bytes = 4;
    of.output_bytes = 4;
    of.input_bytes = static_cast<std::uint64_t>(ranks) * 4;
    return needless(of, schedule_of, [&](int rank, std::uint64_t) {
      return all_ranks(ranks, static_cast<std::uint64_t>(rank));
    });
  };
  EXPECT_EQ(needless_of(6, [](int rank) { return generator(halving_reduce_scatter(6, rank, 4)); }),
            "");
  EXPECT_EQ(
      needless_of(
          5, [](int rank) { return generator(ring_reduce_scatter(blocks::alike(5, 4), rank)); }),
      "");
  EXPECT_EQ(needless_of(6,
                        [](int rank) {
                          return generator(pairwise_reduce_scatter(blocks::alike(6, 4), rank));
                        }),
            "");
}

TEST(omissions, are_found_in_all_to_alls) {
  const auto needless_of = [](int ranks, const auto& schedule_of) {
    expectation of;
    of.ranks = ranks;
    of.input_bytes = of.output_bytes = static_cast<std::uint64_t>(ranks);
    return needless(of, schedule_of, [](int rank, std::uint64_t e) {
      return abstract_value{{static_cast<int>(e), static_cast<std::uint32_t>(rank)}};
    });
  };
  // The last rank's two first copies could change places: all that it sends is in the second.
  EXPECT_EQ(needless_of(5, [](int rank) { return generator(bruck_all_to_all(5, rank, 1, 2)); }),
            "rank 4, step 1: 1; ");
  EXPECT_EQ(needless_of(6, [](int rank) { return generator(hypercube_all_to_all(6, rank, 1)); }),
            "");
}
