// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "apps/unionfind/forest.hpp"
#include "upwash/base/random.hpp"

namespace {

/// Smallest vertex of each component, by spreading labels until nothing changes.
std::vector<std::uint32_t> spread(std::uint32_t vertices, const std::vector<unionfind::link>& all) {
  std::vector<std::uint32_t> label(vertices);
  std::iota(label.begin(), label.end(), 0U);
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& each : all) {
      const std::uint32_t least = std::min(label[each.larger], label[each.smaller]);
      changed = changed || label[each.larger] != least || label[each.smaller] != least;
      label[each.larger] = label[each.smaller] = least;
    }
  }
  return label;
}

}  // namespace

TEST(unionfind, finds_the_smallest_of_each_component) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    upwash::random_stream draw(seed, 0);
    const auto vertices = static_cast<std::uint32_t>(1 + draw.below(200));
    std::vector<unionfind::link> edges(draw.below(300));
    for (auto& each : edges) {
      each = unionfind::link_of(static_cast<std::uint32_t>(draw.below(vertices)),
                                static_cast<std::uint32_t>(draw.below(vertices)));
    }
    std::vector<std::uint32_t> parents(vertices);
    std::iota(parents.begin(), parents.end(), 0U);
    for (const auto& each : edges) unionfind::unite(parents, each);
    EXPECT_EQ(unionfind::roots_of(parents), spread(vertices, edges));
  }
}

TEST(unionfind, step_leaves_what_is_still_to_be_linked) {
  std::uint32_t root = 7;
  EXPECT_EQ(unionfind::step(root, {7, 3}), std::nullopt);
  EXPECT_EQ(root, 3U);
  EXPECT_EQ(unionfind::step(root, {7, 5}), (unionfind::link{5, 3}));
  EXPECT_EQ(root, 3U);
  EXPECT_EQ(unionfind::step(root, {7, 1}), (unionfind::link{3, 1}));
  EXPECT_EQ(root, 1U);
  EXPECT_EQ(unionfind::step(root, {7, 7}), std::nullopt);
}
