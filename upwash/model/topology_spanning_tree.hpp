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

/// The entries of one group in the switches' tables, by rising switch.
struct spanning_tree {
  struct row {
    int of_switch = -1;
    int up = -1;             ///< the port towards the top; -1 at the top
    std::vector<int> ports;  ///< of the tree, ascending, with `up`
  };
  std::vector<row> rows;

  /// Returns the row of a switch, or null if the tree does not pass it. O(log rows).
  [[nodiscard]] const row* find(int of_switch) const noexcept;
};

/// The port that a tree takes upwards.
enum class parent_choice : std::uint8_t {
  least_loaded,  ///< to the parent with the fewest trees (buildTree)
  fixed_port,    ///< always the last one (figure 8.7): trees meet in few switches
  next_port,     ///< one after the other
};

/// Builds trees for many groups on a fat tree, and counts the trees through each switch.
class spanning_tree_builder {
 public:
  /// `on` outlives the builder.
  spanning_tree_builder(const fat_tree& on, parent_choice choice);

  /// Returns the tree of a group: from the first member's switch up until one switch covers all,
  /// and from there down to all. Members need not be contiguous. O(levels * (ports + members)).
  /// Throws `error` (argument) for an empty group and for nodes that do not exist.
  [[nodiscard]] spanning_tree build(std::span<const int> members);

  /// Returns the trees through each switch: the entries of its routing table.
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

/// Returns the number of entries that a group needs if each member sends along its own directed
/// tree.
[[nodiscard]] std::int64_t directed_entries(const spanning_tree& of, std::span<const int> members);

}  // namespace upwash::model
