// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The dragonfly: groups of fully connected switches, with links between all groups (Kim 2008).
// Routing is minimal, or through a random node (Valiant).
#pragma once

#include <string>

#include "upwash/model/topology.hpp"

namespace upwash::model {

struct dragonfly_shape {
  int routers = 4;     ///< switches in a group
  int nodes_each = 2;  ///< nodes on a switch
  int global = 2;      ///< links of a switch to other groups
  int groups = 9;      ///< at most routers * global + 1
  bool valiant = false;
  bool ugal = false;  ///< with Valiant: only if the direct path is more loaded (Singh 2005)
  std::string name = "dragonfly";
};

/// Ports of a switch: its nodes, the other switches of its group, its links to other groups. Link
/// number q of group g leads to group q, or q + 1 from g on. Minimal paths cross at most one link
/// in the first group, one between groups and one in the last group; the last has its own lane.
class dragonfly final : public topology {
 public:
  /// Throws `error` (argument) for sizes below 1, too many groups and more than 2^26 nodes.
  explicit dragonfly(const dragonfly_shape& shape);

  [[nodiscard]] int ports(int of_switch) const override;
  [[nodiscard]] port_end end(int of_switch, int port) const override;
  [[nodiscard]] port_end attachment(int node) const override;
  [[nodiscard]] hop next(int at_switch, int port, int lane, bound& goal) const override;
  [[nodiscard]] second_way second(const bound& fresh) const override { return {fresh, 2}; }

 private:
  [[nodiscard]] int first_global() const noexcept { return shape_.nodes_each + shape_.routers - 1; }
  /// Returns the port of a switch towards another one of its group.
  [[nodiscard]] int local_port(int from, int to) const noexcept;

  dragonfly_shape shape_;
};

}  // namespace upwash::model
