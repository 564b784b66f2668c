// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/neighborhood/relay/placement.hpp"

#include <map>

namespace upwash::neighborhoods {

placement::placement(std::span<const int> node_of)
    : node_of_(node_of.size()), place_(node_of.size()), ranks_(node_of.size()) {
  std::map<int, int> numbers;
  std::vector<int> sizes;
  for (std::size_t rank = 0; rank < node_of.size(); ++rank) {
    const auto [at, is_new] = numbers.try_emplace(node_of[rank], static_cast<int>(sizes.size()));
    if (is_new) sizes.push_back(0);
    node_of_[rank] = at->second;
    place_[rank] = sizes[static_cast<std::size_t>(at->second)]++;
  }
  begins_.push_back(0);
  for (const int size : sizes) begins_.push_back(begins_.back() + static_cast<std::size_t>(size));
  for (std::size_t rank = 0; rank < node_of.size(); ++rank) {
    const auto node = static_cast<std::size_t>(node_of_[rank]);
    ranks_[begins_[node] + static_cast<std::size_t>(place_[rank])] = static_cast<int>(rank);
  }
}

placement placement::blocks(int ranks, int ranks_a_node) {
  std::vector<int> node_of(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    node_of[static_cast<std::size_t>(rank)] = rank / ranks_a_node;
  }
  return placement(node_of);
}

}  // namespace upwash::neighborhoods
