// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/model/topology_grid.hpp"

#include <fmt/format.h>

#include <utility>

#include "upwash/base/error.hpp"

namespace upwash::model {

grid_network::grid_network(grid_shape shape) : shape_(std::move(shape)) {
  const auto wrong = [](const std::string& what) {
    throw error(error_kind::argument, "grid of switches: " + what);
  };
  if (shape_.sizes.empty()) wrong("no sizes; at least one dimension is needed");
  if (shape_.adaptive && shape_.valiant) wrong("adaptive and Valiant; one of them");
  if (shape_.nodes_each < 1) wrong(fmt::format("{} nodes on a switch", shape_.nodes_each));
  std::int64_t switches = 1;
  for (const int each : shape_.sizes) {
    if (each < 1) wrong(fmt::format("a dimension of size {}; at least 1", each));
    strides_.push_back(static_cast<int>(switches));
    switches *= each;
    if (switches * shape_.nodes_each > (1 << 26)) wrong("more than 2^26 nodes");
  }
  switches_ = static_cast<int>(switches);
  nodes_ = switches_ * shape_.nodes_each;
  ring_lanes_ = shape_.wraps ? 2 : 1;
  lanes_ = ring_lanes_ * (shape_.valiant || shape_.adaptive ? 2 : 1);
  wants_via_ = shape_.valiant;
  has_second_ways_ = shape_.adaptive;
  name_ = shape_.name;
}

int grid_network::ports(int /*of_switch*/) const { return shape_.nodes_each + 2 * dimensions(); }

port_end grid_network::end(int of_switch, int port) const {
  if (port < shape_.nodes_each) {
    return {port_end::kind::node, of_switch * shape_.nodes_each + port, -1};
  }
  const int d = (port - shape_.nodes_each) / 2;
  const bool down = (port - shape_.nodes_each) % 2 == 1;
  const int at = coordinate(of_switch, d);
  int to = down ? at - 1 : at + 1;
  const bool beyond = to < 0 || to >= size(d);
  if (size(d) == 1 || (beyond && !shape_.wraps)) return {};
  if (beyond) to = down ? size(d) - 1 : 0;
  return {port_end::kind::port, of_switch + (to - at) * stride(d), down ? port - 1 : port + 1};
}

port_end grid_network::attachment(int node) const {
  return {port_end::kind::port, node / shape_.nodes_each, node % shape_.nodes_each};
}

hop grid_network::next(int at_switch, int port, int lane, bound& goal) const {
  bool second_half = lane >= ring_lanes_;
  if (goal.via >= 0 && goal.via / shape_.nodes_each == at_switch) goal.via = -1;
  if (shape_.valiant && goal.via < 0) second_half = true;
  if (shape_.adaptive) second_half = goal.backwards;
  const int target = (goal.via >= 0 ? goal.via : goal.to) / shape_.nodes_each;
  const int base = second_half ? lanes_ - ring_lanes_ : 0;
  for (int i = 0; i < dimensions(); ++i) {
    const int d = goal.backwards ? dimensions() - 1 - i : i;
    const int here = coordinate(at_switch, d);
    const int there = coordinate(target, d);
    if (here == there) continue;
    const int ahead = there > here ? there - here : there - here + size(d);
    const bool down = shape_.wraps ? 2 * ahead > size(d) : there < here;
    const int out = shape_.nodes_each + 2 * d + (down ? 1 : 0);
    const bool wraps = shape_.wraps && here == (down ? 0 : size(d) - 1);
    const bool same_ring = port >= shape_.nodes_each && (port - shape_.nodes_each) / 2 == d &&
                           (lane >= ring_lanes_) == second_half;
    const bool wrapped = wraps || (same_ring && lane % ring_lanes_ == 1);
    return {out, 1, out, base + (wrapped ? 1 : 0)};
  }
  const int out = goal.to % shape_.nodes_each;
  return {out, 1, out, base};
}

}  // namespace upwash::model
