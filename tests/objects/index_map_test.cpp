// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/objects/index_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "tests/harness/job_test.hpp"
#include "upwash/objects/object_array.hpp"

namespace {

using namespace upwash;
using cube = std::array<int, 3>;

TEST(index_map, blocks_are_even_and_in_order) {
  const extents<3> of{3, 4, 5};
  const std::vector<cube> all = all_indices<cube>(of);
  ASSERT_EQ(all.size(), 60U);
  EXPECT_TRUE(std::ranges::is_sorted(all));
  for (const int members : {1, 2, 7, 59, 60, 61, 100}) {
    const auto home = in_blocks<cube>(of);
    std::vector<int> at(static_cast<std::size_t>(members));
    int last = 0;
    for (const cube& each : all) {
      const int member = home(each, members);
      ASSERT_GE(member, last);
      ASSERT_LT(member, members);
      last = member;
      ++at[static_cast<std::size_t>(member)];
    }
    EXPECT_LE(*std::ranges::max_element(at) - *std::ranges::min_element(at), 1) << members;
  }
}

TEST(index_map, round_robin_takes_each_member_in_turn) {
  const auto home = round_robin<cube>({3, 4, 5});
  int number = 0;
  for (const cube& each : all_indices<cube>({3, 4, 5})) EXPECT_EQ(home(each, 7), number++ % 7);
  EXPECT_EQ(round_robin<int>({10})(9, 4), 1);
}

TEST(index_map, indices_outside_have_no_home) {
  EXPECT_EQ(in_blocks<cube>({3, 4, 5})(cube{0, 4, 0}, 3), -1);
  EXPECT_EQ(in_blocks<cube>({3, 4, 5})(cube{-1, 0, 0}, 3), -1);
  EXPECT_EQ(round_robin<int>({10})(10, 4), -1);
}

struct brick : object<cube> {
  using object::object;
  template <class A>
  void serialize(A& /*archive*/) {}
};

}  // namespace

JOB_TEST(object_maps, fill_members_evenly) {
  const extents<3> of{2, 3, 4};
  object_array<brick, cube> all(here.world(), {}, in_blocks<cube>(of));
  all.fill(all_indices<cube>(of));
  const auto ranks = static_cast<std::size_t>(here.size());
  EXPECT_GE(all.size_here(), 24 / ranks);
  EXPECT_LE(all.size_here(), (24 + ranks - 1) / ranks);
  all.quiet();
}
