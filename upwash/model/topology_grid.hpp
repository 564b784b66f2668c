// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Meshes and tori of switches in any number of dimensions; the hypercube is the mesh with 2 in
// each. Routes follow the dimension order, directly or through a random node (Valiant 1982), or the
// less loaded of the two dimension orders (O1TURN, Seo 2005, by queues).
#pragma once

#include <cstdint>
#include <vector>

#include "upwash/model/topology.hpp"

namespace upwash::model {

struct grid_shape {
  std::vector<int> sizes;  ///< switches in each dimension, the first running fastest
  int nodes_each = 1;      ///< nodes on a switch
  bool wraps = false;      ///< a torus
  bool valiant = false;
  bool adaptive = false;  ///< not with Valiant
  std::string name = "mesh";
};

/// Ports 0 to nodes_each - 1 of a switch lead to its nodes, then two for each dimension, upwards
/// and downwards. Lanes: a torus has two against the cycle of each ring (the second from the
/// wrap-around link on). Valiant routing doubles the lanes for the second half of the path;
/// adaptive grids double them for backward routes.
class grid_network final : public topology {
 public:
  /// Throws `error` (argument) for sizes below 1, for more than 2^26 nodes, and for adaptive grids
  /// with Valiant.
  explicit grid_network(grid_shape shape);

  [[nodiscard]] int ports(int of_switch) const override;
  [[nodiscard]] port_end end(int of_switch, int port) const override;
  [[nodiscard]] port_end attachment(int node) const override;
  [[nodiscard]] hop next(int at_switch, int port, int lane, bound& goal) const override;
  [[nodiscard]] second_way second(const bound& fresh) const override {
    return {{fresh.to, -1, true}, 1};
  }

 private:
  [[nodiscard]] int dimensions() const noexcept { return static_cast<int>(shape_.sizes.size()); }
  [[nodiscard]] int size(int d) const noexcept { return shape_.sizes[static_cast<std::size_t>(d)]; }
  [[nodiscard]] int stride(int d) const noexcept { return strides_[static_cast<std::size_t>(d)]; }
  [[nodiscard]] int coordinate(int of_switch, int d) const noexcept {
    return of_switch / stride(d) % size(d);
  }

  grid_shape shape_;
  std::vector<int> strides_;
  int ring_lanes_ = 1;
};

}  // namespace upwash::model
