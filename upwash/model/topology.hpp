// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Networks of switches: what each port is connected to and where a packet goes next. Both are
// computed from coordinates, never looked up in a table of pairs. Kinds: topology_fat_tree,
// topology_grid, topology_dragonfly; made from text, file or machine by topology_text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace upwash::model {

/// What a port of a switch is connected to.
struct port_end {
  enum class kind : std::uint8_t { nothing, node, port };
  kind is = kind::nothing;
  int index = -1;  ///< the node, or the switch
  int port = -1;   ///< of that switch

  friend constexpr bool operator==(const port_end&, const port_end&) = default;
};

/// Where a packet is bound for. A packet with `via` passes through that node's switch first, one
/// that goes `backwards` takes its dimensions in the other order.
struct bound {
  int to = -1;
  int via = -1;
  bool backwards = false;
};

/// Another way than the straight one, about `times` as long: to be taken at the first switch where
/// there straight on more than `times` as many packets wait as this way.
struct second_way {
  bound goal;
  int times = 1;
};

/// Where a packet goes next: any of `count` ports from `first` on; `preferred` is one of them and
/// the only one to a reader who does not choose. `lane` is its virtual channel on the link.
struct hop {
  int first = 0;
  int count = 1;
  int preferred = 0;
  int lane = 0;
};

/// Immutable; all calls are O(dimensions or levels) unless said otherwise.
class topology {
 public:
  virtual ~topology() = default;
  topology(const topology&) = delete;
  topology& operator=(const topology&) = delete;

  [[nodiscard]] int nodes() const noexcept { return nodes_; }
  [[nodiscard]] int switches() const noexcept { return switches_; }
  /// Virtual channels that the routing needs to be free of deadlock.
  [[nodiscard]] int lanes() const noexcept { return lanes_; }
  /// Whether packets shall be given a random `via` (Valiant's routing).
  [[nodiscard]] bool wants_via() const noexcept { return wants_via_; }
  /// Whether packets have a second way; of one that has just been given its goal.
  [[nodiscard]] bool has_second_ways() const noexcept { return has_second_ways_; }
  [[nodiscard]] virtual second_way second(const bound& fresh) const { return {fresh, 1}; }
  /// As one would write it: "fat-tree:ports=32,levels=2".
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  [[nodiscard]] virtual int ports(int of_switch) const = 0;
  /// Symmetric: the end of the end is the port itself. O(1).
  [[nodiscard]] virtual port_end end(int of_switch, int port) const = 0;
  /// The switch and port that a node hangs on.
  [[nodiscard]] virtual port_end attachment(int node) const = 0;
  /// Where a packet that came into `at_switch` through `port` on `lane` goes next. Clears
  /// `goal.via` once it is reached.
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

/// A port on a packet's way and the lane on the link behind it.
struct crossing {
  int of_switch = -1;
  int port = -1;
  int lane = 0;

  friend constexpr auto operator<=>(const crossing&, const crossing&) = default;
};

/// The ports by which a packet leaves the switches on its preferred way, the last one to the node.
/// Throws `error` (fault) when the way goes through more than twice all switches.
[[nodiscard]] std::vector<crossing> preferred_way(const topology& in, int from, bound goal);

}  // namespace upwash::model
