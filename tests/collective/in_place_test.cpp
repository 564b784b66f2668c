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
#include "upwash/collective/validate.hpp"

namespace {

using namespace upwash;
using namespace upwash::collective;

constexpr std::uint32_t element_bytes = 4;

void expect_in_place(const selection& one, const problem& call) {
  SCOPED_TRACE(testing::Message() << to_string(call.of) << " by "
                                  << model::text_of(one.chosen->is, one.with) << " among "
                                  << call.ranks << ", " << call.bytes << " bytes, root "
                                  << call.root);
  for (std::uint64_t seed = 0; seed < 2; ++seed) ASSERT_EQ(validate(one, call, seed), "");
}

std::set<int> roots_of(const problem& call) {
  if (!is_rooted(call.of)) return {0};
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
  return {.of = what,
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
