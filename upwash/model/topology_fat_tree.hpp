// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fat trees: k-ary n-trees (Kumar 2005, section 4.1), trees with top switches that use all ports
// downwards (Nishtala 2009), tapered trees, and the single crossbar as a tree of one level.
#pragma once

#include <cstdint>
#include <vector>

#include "upwash/model/topology.hpp"

namespace upwash::model {

/// The choice among the upward ports; the way down is fixed.
enum class up_routing : std::uint8_t {
  any,          ///< all ports: the network chooses (adaptive, random) and prefers `source`
  source,       ///< by the source's digits: no two sources share a port on their way up
  destination,  ///< by the destination's digits: no two destinations share a port on the way down
};

struct fat_tree_shape {
  std::vector<int> down;     ///< downward ports of a switch of each level, from the leaves up
  std::vector<int> up;       ///< upward ports; one entry less
  std::vector<int> missing;  ///< places without a node, ascending; nodes are numbered without them
  up_routing routing = up_routing::any;
  std::string name = "fat-tree";
};

/// Returns a tree with `levels` levels; each switch has `arity` ports up and down, those of the top
/// level none up (`full`: 2 arity down).
[[nodiscard]] fat_tree_shape k_ary_n_tree(int arity, int levels, bool full = false);

/// Switches are numbered level by level from the leaves up. The switch above the places [first,
/// first + span) has a copy for each choice of ports on the way up to it. Ports 0 to down - 1 lead
/// down, the others up. Memory: 12 bytes a switch, 4 a node.
class fat_tree final : public topology {
 public:
  /// Throws `error` (argument) for sizes below 1, more than 2^26 places, and missing places that
  /// are not ascending places of the tree.
  explicit fat_tree(fat_tree_shape shape);

  [[nodiscard]] int levels() const noexcept { return static_cast<int>(levels_.size()); }
  [[nodiscard]] int level_of(int of_switch) const noexcept { return place(of_switch).level; }
  [[nodiscard]] int down_ports(int level) const noexcept { return row(level).down; }
  [[nodiscard]] int up_ports(int level) const noexcept { return row(level).up; }
  /// The first switch of a level, and the number of its switches.
  [[nodiscard]] int first_switch(int level) const noexcept { return row(level).first; }
  [[nodiscard]] int switches_of(int level) const noexcept { return row(level).count; }
  /// Returns whether a node is below this switch.
  [[nodiscard]] bool covers(int of_switch, int node) const noexcept;
  /// Returns the downward port to a node below the switch.
  [[nodiscard]] int port_towards(int of_switch, int node) const noexcept;

  [[nodiscard]] int ports(int of_switch) const override;
  [[nodiscard]] port_end end(int of_switch, int port) const override;
  [[nodiscard]] port_end attachment(int node) const override;
  [[nodiscard]] hop next(int at_switch, int port, int lane, bound& goal) const override;

 private:
  struct level_row {
    int down = 0;
    int up = 0;
    int first = 0;   ///< switch
    int count = 0;   ///< switches
    int copies = 0;  ///< of each subtree's root
    int below = 1;   ///< places below one downward port
    int span = 1;    ///< places below the switch
  };
  struct switch_place {
    int level = 0;
    int first = 0;  ///< first place below it
    int copy = 0;
  };

  [[nodiscard]] const level_row& row(int level) const noexcept {
    return levels_[static_cast<std::size_t>(level)];
  }
  [[nodiscard]] const switch_place& place(int of_switch) const noexcept {
    return places_[static_cast<std::size_t>(of_switch)];
  }
  [[nodiscard]] int slot(int node) const noexcept { return slots_[static_cast<std::size_t>(node)]; }
  /// Returns the node at a place, -1 for none. O(log missing).
  [[nodiscard]] int node_at(int slot) const noexcept;
  void number_switches();
  void number_nodes();

  fat_tree_shape shape_;
  std::vector<level_row> levels_;
  std::vector<switch_place> places_;
  std::vector<int> slots_;  ///< of each node
};

inline hop fat_tree::next(int at_switch, int port, int /*lane*/, bound& goal) const {
  const switch_place& at = place(at_switch);
  const level_row& here = row(at.level);
  const int offset = slot(goal.to) - at.first;
  if (offset >= 0 && offset < here.span) {
    const int down = offset / here.below;
    return {down, 1, down, 0};
  }
  const int digit = shape_.routing == up_routing::destination ? slot(goal.to) / here.below : port;
  const int preferred = here.down + digit % here.up;
  if (shape_.routing == up_routing::any) return {here.down, here.up, preferred, 0};
  return {preferred, 1, preferred, 0};
}

}  // namespace upwash::model
