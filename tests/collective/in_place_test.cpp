// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls in place of collectives whose algorithms are written for two buffers: every row of the
// table with every value that it tries, valid in random interleavings where the one buffer holds
// both, and nothing else is there to read.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/collective/cases.hpp"
#include "upwash/collective/candidates.hpp"
#include "upwash/collective/registry.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;
using schedule::abstract_value;
using schedule::expectation;
using schedule::rank_call;

constexpr std::uint32_t element_bytes = 4;

std::uint64_t wide(int number) { return static_cast<std::uint64_t>(number); }

/// What the ranks' buffers are: of blocks of `bytes`, or vectors.
expectation expected(const problem& call) {
  const std::uint64_t all = wide(call.ranks) * call.bytes;
  expectation of;
  of.ranks = call.ranks;
  of.element_bytes = element_bytes;
  of.commutative = call.commutative;
  for (int rank = 0; rank < call.ranks; ++rank) {
    const bool at_root = rank == call.root;
    rank_call each;
    switch (call.what) {
      case kind::gather:
        each.input_bytes = call.bytes;
        each.output_bytes = at_root ? all : 0;
        if (at_root) each.in_place_at = wide(rank) * call.bytes;
        break;
      case kind::scatter:
        each.input_bytes = at_root ? all : 0;
        each.output_bytes = at_root ? 0 : call.bytes;
        break;
      case kind::reduce:
        each.input_bytes = call.bytes;
        each.output_bytes = at_root ? call.bytes : 0;
        if (at_root) each.in_place_at = 0;
        break;
      default: each.input_bytes = each.output_bytes = all; each.in_place_at = 0;
    }
    of.calls.push_back(each);
  }
  return of;
}

/// What an element must be; empty: whatever it is.
abstract_value wanted_of(const problem& call, int rank, std::uint64_t element) {
  const std::uint64_t each = call.bytes / element_bytes;
  switch (call.what) {
    case kind::gather:
      return {{static_cast<int>(element / each), static_cast<std::uint32_t>(element % each)}};
    case kind::scatter:
      return {{call.root, static_cast<std::uint32_t>(wide(rank) * each + element)}};
    case kind::reduce: return all_ranks(call.ranks, element);
    case kind::all_to_all:
      return {{static_cast<int>(element / each),
               static_cast<std::uint32_t>(wide(rank) * each + element % each)}};
    default:  // reduce_scatter: other blocks than the own may be anything
      return element / each == wide(rank) ? all_ranks(call.ranks, element) : abstract_value{};
  }
}

void expect_in_place(const selection& one, const problem& call) {
  SCOPED_TRACE(testing::Message() << to_string(call.what) << " by "
                                  << model::text_of(one.chosen->is, one.with) << " among "
                                  << call.ranks << ", " << call.bytes << " bytes, root "
                                  << call.root);
  const auto schedule_of = [&](int rank) { return one.schedule_of(call, rank); };
  const auto wanted = [&](int rank, std::uint64_t element) {
    return wanted_of(call, rank, element);
  };
  const schedule::needs wants = schedule_of(0).wants();
  if (wants.edges_apart || wants.counters != 0) {  // also step by step
    expect_valid(expected(call), schedule_of, wanted, 2);
  } else {
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
      ASSERT_EQ(schedule::validate(expected(call), schedule_of, wanted, seed), "");
    }
  }
}

std::set<int> roots_of(const problem& call) {
  const bool rooted =
      call.what == kind::gather || call.what == kind::scatter || call.what == kind::reduce;
  if (!rooted) return {0};
  return {0, call.ranks / 2, call.ranks - 1};
}

/// Every algorithm and every value that it tries; how many there were.
std::size_t expect_all_in_place(problem call) {
  registry all;
  add_algorithms(all);
  std::size_t tried = 0;
  for (call.ranks = 1; call.ranks <= (long_run() ? 33 : 13); ++call.ranks) {
    for (const std::uint64_t elements : {0, 1, 7, 64}) {
      call.bytes = elements * element_bytes;
      for (const int root : roots_of(call)) {
        call.root = root;
        for (const selection& each : candidates(all, call)) {
          ++tried;
          expect_in_place(each, call);
          if (testing::Test::HasFatalFailure()) return tried;
        }
      }
    }
  }
  return tried;
}

problem in_place_of(kind what, bool commutative = true) {
  return {.what = what,
          .element_bytes = element_bytes,
          .in_place = true,
          .commutative = commutative,
          .direct_access = true};
}

}  // namespace

TEST(in_place, gather) { EXPECT_GT(expect_all_in_place(in_place_of(kind::gather)), 300U); }
TEST(in_place, scatter) { EXPECT_GT(expect_all_in_place(in_place_of(kind::scatter)), 300U); }
TEST(in_place, reduce) { EXPECT_GT(expect_all_in_place(in_place_of(kind::reduce)), 500U); }
TEST(in_place, reduce_in_order) {
  EXPECT_GT(expect_all_in_place(in_place_of(kind::reduce, false)), 500U);
}
TEST(in_place, reduce_scatter) {
  EXPECT_GT(expect_all_in_place(in_place_of(kind::reduce_scatter)), 100U);
}
TEST(in_place, reduce_scatter_in_order) {
  EXPECT_GT(expect_all_in_place(in_place_of(kind::reduce_scatter, false)), 50U);
}
TEST(in_place, all_to_all) { EXPECT_GT(expect_all_in_place(in_place_of(kind::all_to_all)), 300U); }

/// What others read straight from the buffer must stay as it is.
TEST(in_place, single_copy_of_an_exchange_is_refused) {
  registry all;
  add_algorithms(all);
  problem call = in_place_of(kind::all_to_all);
  call.ranks = 4;
  call.bytes = 64;
  const selection one = all.named(kind::all_to_all, "single_copy");
  EXPECT_NE(registry::objection(one, call).find("in place"), std::string::npos);
  call.in_place = false;
  EXPECT_EQ(registry::objection(one, call), "");
}
