// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/objects/detail/balance_times.hpp"

#include <algorithm>

namespace upwash::balancing {

member_times::member_times(const problem& given) : members_(given.members) {
  for (std::size_t m = 0; m < members_.size(); ++m) {
    times_.push_back(members_[m].background_ns);
    of_speed_[members_[m].speed].emplace(times_[m], static_cast<int>(m));
  }
}

void member_times::add_time(int member, double ns) {
  double& time = times_[static_cast<std::size_t>(member)];
  by_time& alike = of_speed_.at(speed(member));
  alike.erase({time, member});
  time += ns;
  alike.emplace(time, member);
}

int member_times::first_with(double work_ns) const {
  int best = -1;
  for (const auto& [speed, alike] : of_speed_) {
    const int one = alike.begin()->second;
    if (best < 0 || std::pair(with(one, work_ns), one) < std::pair(with(best, work_ns), best)) {
      best = one;
    }
  }
  return best;
}

int member_times::longest() const {
  int worst = -1;
  for (const auto& [speed, alike] : of_speed_) {
    const int one = alike.rbegin()->second;
    if (worst < 0 || of(one) > of(worst)) worst = one;
  }
  return worst;
}

std::vector<std::size_t> heaviest_first(const std::vector<double>& weights) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] > 0) order.push_back(i);
  }
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
  return order;
}

}  // namespace upwash::balancing
