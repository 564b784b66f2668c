// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/model/node_map.hpp"

#include <algorithm>
#include <unordered_map>

namespace upwash::model {

node_map::node_map(std::span<const int> node_of) {
  std::unordered_map<int, int> number_of;
  std::vector<int> sizes;
  for (const int name : node_of) {
    const int node = number_of.try_emplace(name, static_cast<int>(sizes.size())).first->second;
    if (static_cast<std::size_t>(node) == sizes.size()) sizes.push_back(0);
    in_order_ = in_order_ && (node_of_.empty() || node >= node_of_.back());
    node_of_.push_back(node);
    place_of_.push_back(sizes[static_cast<std::size_t>(node)]++);
  }
  first_of_.push_back(0);
  for (const int size : sizes) {
    first_of_.push_back(first_of_.back() + static_cast<std::uint64_t>(size));
  }
  if (!sizes.empty()) {
    const auto [least, largest] = std::minmax_element(sizes.begin(), sizes.end());
    least_ = *least;
    largest_ = *largest;
  }
  members_.resize(node_of_.size());
  for (int rank = 0; rank < ranks(); ++rank) {
    const auto first = first_of_[static_cast<std::size_t>(this->node_of(rank))];
    members_[first + static_cast<std::size_t>(place_of(rank))] = rank;
  }
  for (int place = 0; place < least_; ++place) {
    for (int node = 0; node < nodes(); ++node) by_place_.push_back(rank_at(node, place));
  }
}

node_map node_map::in_blocks(int ranks, int ranks_per_node) {
  std::vector<int> node_of(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    node_of[static_cast<std::size_t>(rank)] = rank / ranks_per_node;
  }
  return node_map(node_of);
}

}  // namespace upwash::model
