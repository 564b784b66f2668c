// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/objects/detail/balance_times.hpp"

namespace upwash::balancing {

std::vector<int> greedy::place(const problem& given) const {
  std::vector<int> now = given.mapping();
  std::vector<int> placed = now;
  std::vector<double> weights;
  for (const placed_object& each : given.objects) weights.push_back(each.work_ns);
  member_times times(given);
  for (const std::size_t i : heaviest_first(weights)) {
    placed[i] = times.first_with(weights[i]);
    times.add_work(placed[i], weights[i]);
  }
  return given.longest(placed) < given.longest(now) ? placed : now;
}

}  // namespace upwash::balancing
