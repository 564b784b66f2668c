// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Trees of switches that span groups of nodes, for collectives in the network. Undirected: any
// member may send along the same tree. Source: Kumar 2005, section 8.2 (buildTree).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "upwash/model/topology_fat_tree.hpp"

namespace upwash::model {

/// What the tables of the switches say about one group, by rising switch.
struct spanning_tree {
  struct row {
    int of_switch = -1;
    int up = -1;             ///< the port towards the top; -1 at the top
    std::vector<int> ports;  ///< of the tree, ascending, `up` among them
  };
  std::vector<row> rows;

  /// The row of a switch, null where the tree does not pass. O(log rows).
  [[nodiscard]] const row* find(int of_switch) const noexcept;
};

/// Which port a tree takes upwards.
enum class parent_choice : std::uint8_t {
  least_loaded,  ///< to the parent through which the fewest trees pass (buildTree)
  fixed_port,    ///< always the last one (figure 8.7): trees meet in few switches
  next_port,     ///< one after the other
};

/// Builds trees for many groups on a fat tree, and knows how many pass through each switch.
class spanning_tree_builder {
 public:
  /// `on` outlives it.
  spanning_tree_builder(const fat_tree& on, parent_choice choice);

  /// The tree of a group: up from the first member's switch until one switch covers all, and from
  /// there down to all. Members need not be contiguous. O(levels * (ports + members)). Throws
  /// `error` (argument) for an empty group and nodes that do not exist.
  [[nodiscard]] spanning_tree build(std::span<const int> members);

  /// Trees that pass through each switch: entries of its routing table.
  [[nodiscard]] const std::vector<int>& loads() const noexcept { return loads_; }
  [[nodiscard]] std::int64_t entries() const noexcept { return entries_; }

 private:
  [[nodiscard]] int parent_port(int of_switch);
  void descend(int of_switch, int up, std::span<const int> members, spanning_tree& into);

  const fat_tree& on_;
  parent_choice choice_;
  std::vector<int> loads_;
  std::int64_t entries_ = 0;
  int turn_ = 0;
};

/// Entries that a group needs when each member sends along a directed tree of its own.
[[nodiscard]] std::int64_t directed_entries(const spanning_tree& of, std::span<const int> members);

}  // namespace upwash::model
