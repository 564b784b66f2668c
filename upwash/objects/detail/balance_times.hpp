// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The finishing times of the members, while strategies assign objects.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "upwash/objects/balance.hpp"

namespace upwash::balancing {

/// O(log members) a change, O(different speeds) a query.
class member_times {
 public:
  explicit member_times(const problem& given);

  [[nodiscard]] double of(int member) const { return times_[static_cast<std::size_t>(member)]; }
  [[nodiscard]] double speed(int member) const {
    return members_[static_cast<std::size_t>(member)].speed;
  }
  /// Returns the member's finishing time with additional work.
  [[nodiscard]] double with(int member, double work_ns) const {
    return of(member) + work_ns / speed(member);
  }
  void add_time(int member, double ns);
  void add_work(int member, double work_ns) { add_time(member, work_ns / speed(member)); }

  /// Returns the member that finishes first with additional work; among equals the first.
  [[nodiscard]] int first_with(double work_ns) const;
  [[nodiscard]] int longest() const;

 private:
  using by_time = std::set<std::pair<double, int>>;

  const std::vector<member>& members_;
  std::vector<double> times_;
  std::map<double, by_time> of_speed_;
};

/// Returns the objects with work, the heaviest first; equals keep their order.
[[nodiscard]] std::vector<std::size_t> heaviest_first(const std::vector<double>& weights);

}  // namespace upwash::balancing
