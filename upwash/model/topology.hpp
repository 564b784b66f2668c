// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Networks of switches: the connections of ports and the routes of packets. Both are computed from
// coordinates, never looked up in a table of pairs. Kinds: topology_fat_tree, topology_grid,
// topology_dragonfly. topology_text makes them from text, file or machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace upwash::model {

/// The end of the link at a switch port.
struct port_end {
  enum class kind : std::uint8_t { nothing, node, port };
  kind is = kind::nothing;
  int index = -1;  ///< the node or the switch
  int port = -1;   ///< port of that switch

  friend constexpr bool operator==(const port_end&, const port_end&) = default;
};

/// The goal of a packet. With `via` it first passes that node's switch; `backwards` reverses the
/// order of dimensions.
struct bound {
  int to = -1;
  int via = -1;
  bool backwards = false;
};

/// An alternative path, about `times` as long as the direct one. The first switch takes it if more
/// than `times` as many packets wait on the direct path.
struct second_way {
  bound goal;
  int times = 1;
};

/// The next hop of a packet: any of `count` ports from `first` on. `preferred` is one of them, for
/// users that do not choose. `lane` is the virtual channel on the link.
struct hop {
  int first = 0;
  int count = 1;
  int preferred = 0;
  int lane = 0;
};

/// A network of switches. Immutable. All calls are O(dimensions or levels) unless noted.
class topology {
 public:
  virtual ~topology() = default;
  topology(const topology&) = delete;
  topology& operator=(const topology&) = delete;

  [[nodiscard]] int nodes() const noexcept { return nodes_; }
  [[nodiscard]] int switches() const noexcept { return switches_; }
  /// Returns the number of virtual channels that deadlock-free routing needs.
  [[nodiscard]] int lanes() const noexcept { return lanes_; }
  /// Returns whether packets get a random `via` (Valiant's routing).
  [[nodiscard]] bool wants_via() const noexcept { return wants_via_; }
  /// Whether packets have an alternative path. `second` returns it for a packet that has just
  /// received its goal.
  [[nodiscard]] bool has_second_ways() const noexcept { return has_second_ways_; }
  [[nodiscard]] virtual second_way second(const bound& fresh) const { return {fresh, 1}; }
  /// Returns the name as text, for example "fat-tree:ports=32,levels=2".
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  [[nodiscard]] virtual int ports(int of_switch) const = 0;
  /// Returns the other end of a port's link. Symmetric: the end of the end is the port itself.
  /// O(1).
  [[nodiscard]] virtual port_end end(int of_switch, int port) const = 0;
  /// Returns the switch and port of a node.
  [[nodiscard]] virtual port_end attachment(int node) const = 0;
  /// Returns the next hop of a packet that entered `at_switch` through `port` on `lane`. Clears
  /// `goal.via` when it is reached.
  [[nodiscard]] virtual hop next(int at_switch, int port, int lane, bound& goal) const = 0;

 protected:
  topology() = default;

  int nodes_ = 0;
  int switches_ = 0;
  int lanes_ = 1;
  bool wants_via_ = false;
  bool has_second_ways_ = false;
  std::string name_;
};

/// A port on a packet's path and the lane on the link after it.
struct crossing {
  int of_switch = -1;
  int port = -1;
  int lane = 0;

  friend constexpr auto operator<=>(const crossing&, const crossing&) = default;
};

/// Returns the ports through which a packet leaves the switches on its preferred path, the last one
/// to the node. Throws `error` (fault) if the path has more than twice as many switches as the
/// network.
[[nodiscard]] std::vector<crossing> preferred_way(const topology& in, int from, bound goal);

}  // namespace upwash::model
