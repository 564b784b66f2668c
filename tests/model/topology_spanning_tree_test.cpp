// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collective spanning trees (Kumar 2005, section 8.2): trees they are, of exactly the members, and
// least loaded parents spread them.
#include "upwash/model/topology_spanning_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/base/random.hpp"

namespace {

using namespace upwash::model;  // NOLINT(google-build-using-namespace)

std::vector<int> random_members(upwash::random_stream& random, int nodes, std::size_t count) {
  std::vector<int> all(static_cast<std::size_t>(nodes));
  std::iota(all.begin(), all.end(), 0);
  for (std::size_t i = 0; i < count; ++i) std::swap(all[i], all[i + random.below(all.size() - i)]);
  all.resize(count);
  return all;
}

/// Nodes that a packet reaches which a node sends to all ports but the one it came by, each time.
std::multiset<int> reached(const fat_tree& on, const spanning_tree& tree, int from) {
  std::multiset<int> nodes;
  std::vector<port_end> open{on.attachment(from)};
  while (!open.empty()) {
    const port_end at = open.back();
    open.pop_back();
    const spanning_tree::row* row = tree.find(at.index);
    if (row == nullptr) {
      ADD_FAILURE() << "no entry in switch " << at.index;
      return nodes;
    }
    for (const int port : row->ports) {
      if (port == at.port) continue;
      const port_end end = on.end(at.index, port);
      if (end.is == port_end::kind::node) nodes.insert(end.index);
      if (end.is == port_end::kind::port) open.push_back(end);
    }
  }
  return nodes;
}

TEST(spanning_tree, any_member_reaches_all_others_once) {
  fat_tree_shape with_gaps = k_ary_n_tree(4, 3);
  with_gaps.missing = {2, 3, 17, 40};
  const fat_tree trees[] = {fat_tree(k_ary_n_tree(4, 3)), fat_tree(k_ary_n_tree(2, 5)),
                            fat_tree(k_ary_n_tree(3, 3, true)), fat_tree(with_gaps)};
  for (const fat_tree& on : trees) {
    for (const auto choice :
         {parent_choice::least_loaded, parent_choice::fixed_port, parent_choice::next_port}) {
      spanning_tree_builder builder(on, choice);
      upwash::random_stream random(9, 0);
      for (int i = 0; i < 60; ++i) {
        const std::size_t count = 1 + random.below(static_cast<std::uint64_t>(on.nodes()));
        const std::vector<int> members = random_members(random, on.nodes(), count);
        const spanning_tree tree = builder.build(members);
        for (const int from : members) {
          std::multiset<int> expected(members.begin(), members.end());
          expected.erase(from);
          ASSERT_EQ(reached(on, tree, from), expected) << on.name() << " from " << from;
        }
      }
    }
  }
}

/// Section 8.2: one switch covers all and is no higher than it must be; its load is what passes it.
TEST(spanning_tree, has_one_top_and_counts_entries) {
  const fat_tree on(k_ary_n_tree(4, 3));
  spanning_tree_builder builder(on, parent_choice::least_loaded);
  const std::vector<int> quarter{16, 21, 30};
  const spanning_tree tree = builder.build(quarter);
  EXPECT_EQ(
      std::count_if(tree.rows.begin(), tree.rows.end(), [](const auto& row) { return row.up < 0; }),
      1);
  EXPECT_EQ(tree.rows.size(), 4U);  // three leaves and one switch above
  EXPECT_EQ(builder.entries(), 4);
  EXPECT_EQ(std::accumulate(builder.loads().begin(), builder.loads().end(), 0), 4);
  EXPECT_EQ(directed_entries(tree, quarter), 12);
  EXPECT_EQ(builder.build(std::vector<int>{5}).rows.size(), 1U);
}

TEST(spanning_tree, least_loaded_parents_spread_the_trees_over_the_top) {
  const fat_tree on(k_ary_n_tree(4, 4));
  const auto busiest_top = [&](parent_choice choice) {
    spanning_tree_builder builder(on, choice);
    upwash::random_stream random(4, 0);
    for (int i = 0; i < 1024; ++i) (void)builder.build(random_members(random, on.nodes(), 8));
    const auto first = builder.loads().begin() + on.first_switch(3);
    return *std::max_element(first, first + on.switches_of(3));
  };
  EXPECT_LE(busiest_top(parent_choice::least_loaded), 20);  // 1024 trees over 64 switches: 16
  EXPECT_GE(busiest_top(parent_choice::fixed_port), 1000);
}

TEST(spanning_tree, refuses_empty_groups_and_unknown_nodes) {
  const fat_tree on(k_ary_n_tree(2, 2));
  spanning_tree_builder builder(on, parent_choice::least_loaded);
  EXPECT_THROW((void)builder.build({}), upwash::error);
  EXPECT_THROW((void)builder.build(std::vector<int>{0, 4}), upwash::error);
  EXPECT_THROW((void)builder.build(std::vector<int>{-1}), upwash::error);
}

}  // namespace
