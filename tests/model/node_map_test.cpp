// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Members of a team on their nodes: numbers of nodes, places in them, orders.
#include "upwash/model/node_map.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

using namespace upwash;

TEST(node_map, numbers_nodes_and_places) {
  const std::vector<int> places{7, 3, 7, 3, 3, 9};
  const model::node_map of(places);
  EXPECT_EQ(of.ranks(), 6);
  EXPECT_EQ(of.nodes(), 3);
  EXPECT_EQ(of.node_of(1), 1);
  EXPECT_EQ(of.place_of(4), 2);
  EXPECT_EQ(of.size_of(1), 3);
  EXPECT_EQ(of.rank_at(1, 1), 3);
  EXPECT_EQ(of.firsts().back(), 6U);
  EXPECT_EQ(of.least_size(), 1);
  EXPECT_EQ(of.largest_size(), 3);
  EXPECT_FALSE(of.in_order());
  EXPECT_TRUE(of.has_levels());
  EXPECT_EQ(of.of_place(0)[2], 5);
  const model::node_map blocks = model::node_map::in_blocks(5, 2);
  EXPECT_TRUE(blocks.in_order());
  EXPECT_EQ(blocks.size_of(2), 1);
  EXPECT_FALSE(model::node_map::in_blocks(3, 1).has_levels());
  EXPECT_FALSE(model::node_map::in_blocks(3, 3).has_levels());
  const model::shared_node_map none;
  const model::shared_node_map one = std::make_shared<const model::node_map>(blocks);
  const model::shared_node_map same =
      std::make_shared<const model::node_map>(model::node_map::in_blocks(5, 2));
  EXPECT_EQ(one, same);
  EXPECT_NE(one, none);
  EXPECT_NE(one, model::shared_node_map(std::make_shared<const model::node_map>(of)));
}
