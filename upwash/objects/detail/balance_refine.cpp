// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "upwash/base/error.hpp"
#include "upwash/objects/detail/balance_times.hpp"

namespace upwash::balancing {
namespace {

using by_work = std::set<std::pair<double, std::size_t>>;

/// No mapping is done sooner: all work at all members to the end, the heaviest object on the
/// fastest, the longest background.
double least_possible(const problem& given) {
  double work = 0;
  double speed = 0;
  double heaviest = 0;
  double fastest = 0;
  double least = 0;
  for (const placed_object& each : given.objects) {
    work += each.work_ns;
    heaviest = std::max(heaviest, each.work_ns);
  }
  for (const member& each : given.members) {
    work += each.background_ns * each.speed;
    speed += each.speed;
    fastest = std::max(fastest, each.speed);
    least = std::max(least, each.background_ns);
  }
  return std::max({least, work / speed, heaviest / fastest});
}

/// The heaviest object that the receiver takes within the limit; else the one with which the later
/// of the two is done soonest, if that is sooner than now.
std::optional<by_work::const_iterator> best_of(const by_work& objects, const member_times& times,
                                               int from, int to, double limit) {
  const auto after = [](double work) { return std::pair(work, ~std::size_t{0}); };
  const double room = (limit - times.of(to)) * times.speed(to);
  const auto fits = objects.upper_bound(after(room));
  if (fits != objects.begin()) return std::prev(fits);
  const auto later = [&](by_work::const_iterator one) {
    return std::max(times.of(from) - one->first / times.speed(from), times.with(to, one->first));
  };
  const double even =
      (times.of(from) - times.of(to)) / (1 / times.speed(from) + 1 / times.speed(to));
  std::optional<by_work::const_iterator> best;
  const auto above = objects.upper_bound(after(even));
  if (above != objects.end()) best = above;
  if (above != objects.begin() && (!best || later(std::prev(above)) < later(*best))) {
    best = std::prev(above);
  }
  constexpr double by_rounding = 1e-12;  // what is less could go to and fro for ever
  if (best && later(*best) < times.of(from) * (1 - by_rounding)) return best;
  return std::nullopt;
}

}  // namespace

refine::refine(double tolerance) : tolerance_(tolerance) {
  if (tolerance >= 1) return;
  throw error(error_kind::argument,
              fmt::format("refine with tolerance {}; it is a factor, 1 or more", tolerance));
}

std::vector<int> refine::place(const problem& given) const {
  std::vector<int> placed = given.mapping();
  member_times times(given);
  std::vector<by_work> at(given.members.size());
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const double work = given.objects[i].work_ns;
    if (work <= 0) continue;
    times.add_work(placed[i], work);
    at[static_cast<std::size_t>(placed[i])].emplace(work, i);
  }
  const double limit = tolerance_ * least_possible(given);
  for (;;) {
    const int from = times.longest();
    const int to = times.first_with(0);
    by_work& objects = at[static_cast<std::size_t>(from)];
    if (times.of(from) <= limit || from == to) return placed;
    const auto best = best_of(objects, times, from, to, limit);
    if (!best) return placed;
    const auto [work, i] = **best;
    at[static_cast<std::size_t>(to)].insert(objects.extract(*best));
    times.add_work(from, -work);
    times.add_work(to, work);
    placed[i] = to;
  }
}

}  // namespace upwash::balancing
