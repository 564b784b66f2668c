// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/model/topology_dragonfly.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"

namespace upwash::model {

dragonfly::dragonfly(const dragonfly_shape& shape) : shape_(shape) {
  const auto wrong = [](const std::string& what) {
    throw error(error_kind::argument, "dragonfly: " + what);
  };
  if (std::min({shape.routers, shape.nodes_each, shape.groups}) < 1 || shape.global < 0) {
    wrong("routers, nodes and groups are at least 1");
  }
  const std::int64_t most = std::int64_t{shape.routers} * shape.global + 1;
  if (shape.groups > most) {
    wrong(fmt::format("{} groups; {} routers with {} links to other groups reach at most {}",
                      shape.groups, shape.routers, shape.global, most));
  }
  const std::int64_t switches = std::int64_t{shape.groups} * shape.routers;
  if (switches * shape.nodes_each > (1 << 26)) wrong("more than 2^26 nodes");
  switches_ = static_cast<int>(switches);
  nodes_ = switches_ * shape.nodes_each;
  lanes_ = shape.valiant ? 4 : 2;
  wants_via_ = shape.valiant;
  has_second_ways_ = shape.ugal;
  name_ = shape.name;
}

int dragonfly::ports(int /*of_switch*/) const { return first_global() + shape_.global; }

int dragonfly::local_port(int from, int to) const noexcept {
  const int other = to % shape_.routers;
  return shape_.nodes_each + (other < from % shape_.routers ? other : other - 1);
}

port_end dragonfly::end(int of_switch, int port) const {
  const int group = of_switch / shape_.routers;
  const int router = of_switch % shape_.routers;
  if (port < shape_.nodes_each) {
    return {port_end::kind::node, of_switch * shape_.nodes_each + port, -1};
  }
  if (port < first_global()) {
    const int index = port - shape_.nodes_each;
    const int peer = of_switch - router + (index < router ? index : index + 1);
    return {port_end::kind::port, peer, local_port(peer, of_switch)};
  }
  const int link = router * shape_.global + port - first_global();
  const int other = link < group ? link : link + 1;
  if (other >= shape_.groups) return {};
  const int back = group < other ? group : group - 1;
  return {port_end::kind::port, other * shape_.routers + back / shape_.global,
          first_global() + back % shape_.global};
}

port_end dragonfly::attachment(int node) const {
  return {port_end::kind::port, node / shape_.nodes_each, node % shape_.nodes_each};
}

hop dragonfly::next(int at_switch, int port, int lane, bound& goal) const {
  if (goal.via >= 0 && goal.via / shape_.nodes_each == at_switch) goal.via = -1;
  const int base = shape_.valiant && goal.via < 0 ? 2 : 0;
  const int target = (goal.via >= 0 ? goal.via : goal.to) / shape_.nodes_each;
  if (target == at_switch) {
    const int out = goal.to % shape_.nodes_each;
    return {out, 1, out, base};
  }
  // A link in the group after one between groups, of the same half of the way, is the last one.
  const bool came_far = port >= first_global() && lane >= base;
  const int group = at_switch / shape_.routers;
  const int wanted = target / shape_.routers;
  if (wanted == group) {
    const int out = local_port(at_switch, target);
    return {out, 1, out, base + (came_far ? 1 : 0)};
  }
  const int link = wanted < group ? wanted : wanted - 1;
  const int holder = group * shape_.routers + link / shape_.global;
  const int out =
      holder == at_switch ? first_global() + link % shape_.global : local_port(at_switch, holder);
  return {out, 1, out, base};
}

}  // namespace upwash::model
