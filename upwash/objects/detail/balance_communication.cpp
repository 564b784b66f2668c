// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>
#include <utility>

#include "upwash/objects/detail/balance_times.hpp"

namespace upwash::balancing {
namespace {

struct neighbor {
  std::size_t object;
  double cost_ns;  ///< where the two are apart, at each
};

/// Objects as they are placed one by one, with what their calls cost.
class placing {
 public:
  placing(const problem& given, std::vector<std::vector<neighbor>> neighbors)
      : given_(given),
        neighbors_(std::move(neighbors)),
        times_(given),
        placed_(given.objects.size(), -1) {}

  void place(std::size_t i) {
    const double work = given_.objects[i].work_ns;
    std::map<int, double> near;  // by member: what calls to it cost from elsewhere
    double all = 0;
    for (const neighbor& each : neighbors_[i]) {
      if (placed_[each.object] < 0) continue;
      near[placed_[each.object]] += each.cost_ns;
      all += each.cost_ns;
    }
    int best = times_.first_with(work);
    const auto with = [&](int m) {
      const auto here = near.find(m);
      return times_.with(m, work) + all - (here == near.end() ? 0 : here->second);
    };
    for (const auto& [m, cost] : near) {
      if (with(m) < with(best)) best = m;
    }
    times_.add_time(best, with(best) - times_.of(best));
    for (const auto& [m, cost] : near) {
      if (m != best) times_.add_time(m, cost);
    }
    placed_[i] = best;
  }

  /// Those that were not placed stay.
  [[nodiscard]] std::vector<int> done() && {
    for (std::size_t i = 0; i < placed_.size(); ++i) {
      if (placed_[i] < 0) placed_[i] = given_.objects[i].member;
    }
    return std::move(placed_);
  }

 private:
  const problem& given_;
  std::vector<std::vector<neighbor>> neighbors_;
  member_times times_;
  std::vector<int> placed_;
};

}  // namespace

double communication_aware::cost_of(const edge& calls) const {
  return static_cast<double>(calls.calls) * cost_.call.ns() +
         static_cast<double>(calls.bytes) / 1024 * cost_.kilobyte.ns();
}

double communication_aware::longest(const problem& given, std::span<const int> mapping) const {
  std::vector<double> times = given.times(mapping);
  for (const edge& each : given.edges) {
    if (mapping[each.from] == mapping[each.to]) continue;
    times[static_cast<std::size_t>(mapping[each.from])] += cost_of(each);
    times[static_cast<std::size_t>(mapping[each.to])] += cost_of(each);
  }
  return std::ranges::max(times);
}

std::vector<int> communication_aware::place(const problem& given) const {
  std::vector<std::vector<neighbor>> neighbors(given.objects.size());
  std::vector<double> weights;
  for (const placed_object& each : given.objects) weights.push_back(each.work_ns);
  for (const edge& each : given.edges) {
    if (each.from == each.to) continue;
    const double cost = cost_of(each);
    neighbors[each.from].push_back({each.to, cost});
    neighbors[each.to].push_back({each.from, cost});
    weights[each.from] += cost;
    weights[each.to] += cost;
  }
  placing objects(given, std::move(neighbors));
  for (const std::size_t i : heaviest_first(weights)) objects.place(i);
  std::vector<int> placed = std::move(objects).done();
  std::vector<int> now = given.mapping();
  return longest(given, placed) < longest(given, now) ? placed : now;
}

}  // namespace upwash::balancing
