// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The dragonfly: groups of switches that are all connected to each other, and groups that are all
// connected to each other (Kim 2008). Minimal routing, or through a random node (Valiant).
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
  bool ugal = false;  ///< with Valiant: only where the straight way is more loaded (Singh 2005)
  std::string name = "dragonfly";
};

/// Ports of a switch: its nodes, the others of its group, its links to other groups. Group g's link
/// number q leads to group q, or q + 1 from g on. Minimal ways cross at most one link in the
/// first group, one between groups and one in the last; the last has a lane of its own.
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
  /// The port of a switch towards another one of its group.
  [[nodiscard]] int local_port(int from, int to) const noexcept;

  dragonfly_shape shape_;
};

}  // namespace upwash::model
