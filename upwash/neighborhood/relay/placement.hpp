// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which ranks share a node: what schemes that combine by nodes go by.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace upwash::neighborhoods {

/// Nodes are numbered by their first ranks. Memory: O(ranks), once a process for all its ranks
/// where these share it.
class placement {
 public:
  /// `node_of[rank]`: any number that is the same for ranks of one node.
  explicit placement(std::span<const int> node_of);
  /// So many consecutive ranks a node; the last may have fewer.
  [[nodiscard]] static placement blocks(int ranks, int ranks_a_node);

  [[nodiscard]] int ranks() const noexcept { return static_cast<int>(node_of_.size()); }
  [[nodiscard]] int nodes() const noexcept { return static_cast<int>(begins_.size()) - 1; }
  [[nodiscard]] int node_of(int rank) const { return node_of_[static_cast<std::size_t>(rank)]; }
  /// Ascending.
  [[nodiscard]] std::span<const int> ranks_of(int node) const {
    const auto at = static_cast<std::size_t>(node);
    return std::span(ranks_).subspan(begins_[at], begins_[at + 1] - begins_[at]);
  }
  /// The rank's place among those of its node.
  [[nodiscard]] int place_in_node(int rank) const { return place_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] bool together(int a, int b) const { return node_of(a) == node_of(b); }

 private:
  std::vector<int> node_of_;
  std::vector<int> place_;
  std::vector<int> ranks_;
  std::vector<std::size_t> begins_;
};

}  // namespace upwash::neighborhoods
