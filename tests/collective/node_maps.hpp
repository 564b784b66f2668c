// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Teams on nodes for tests: even, uneven, scattered.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "upwash/base/random.hpp"
#include "upwash/model/node_map.hpp"

namespace upwash::test {

/// As calls have it: none where there are no levels.
inline model::shared_node_map shared_map(model::node_map of) {
  if (!of.has_levels()) return {};
  return {std::make_shared<const model::node_map>(std::move(of))};
}

inline model::shared_node_map blocks_of_nodes(int ranks, int each) {
  return shared_map(model::node_map::in_blocks(ranks, each));
}

/// All blocks, ranks in turn on some nodes, and some that are drawn.
inline std::vector<model::shared_node_map> node_maps(int ranks) {
  std::vector<model::shared_node_map> all;
  const auto add = [&](const std::vector<int>& node_of) {
    auto made = shared_map(model::node_map(node_of));
    if (made) all.push_back(std::move(made));
  };
  std::vector<int> node_of(static_cast<std::size_t>(ranks));
  for (int n = 1; n <= ranks; ++n) {
    if (auto blocks = blocks_of_nodes(ranks, n)) all.push_back(std::move(blocks));
    for (int rank = 0; rank < ranks; ++rank) node_of[static_cast<std::size_t>(rank)] = rank % n;
    add(node_of);
  }
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    random_stream random(seed, static_cast<std::uint64_t>(ranks));
    for (int& node : node_of) node = static_cast<int>(random.below(4));
    if (seed % 2 == 0) std::sort(node_of.begin(), node_of.end());  // uneven, in order
    add(node_of);
  }
  return all;
}

}  // namespace upwash::test
