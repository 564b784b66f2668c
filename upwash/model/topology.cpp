// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/model/topology.hpp"

#include <fmt/format.h>

#include "upwash/base/error.hpp"

namespace upwash::model {

std::vector<crossing> preferred_way(const topology& in, int from, bound goal) {
  std::vector<crossing> way;
  port_end at = in.attachment(from);
  int lane = 0;
  const int to = goal.to;
  while (at.is == port_end::kind::port) {
    if (static_cast<int>(way.size()) > 2 * in.switches()) {
      throw error(error_kind::fault, fmt::format("{}: the way from node {} to node {} never ends",
                                                 in.name(), from, to));
    }
    const hop next = in.next(at.index, at.port, lane, goal);
    way.push_back({at.index, next.preferred, next.lane});
    lane = next.lane;
    at = in.end(at.index, next.preferred);
  }
  if (at.is != port_end::kind::node || at.index != to) {
    throw error(error_kind::fault, fmt::format("{}: the way from node {} to node {} ends elsewhere",
                                               in.name(), from, to));
  }
  return way;
}

}  // namespace upwash::model
