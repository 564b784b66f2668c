// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/detail/price/processors.hpp"

#include <algorithm>

namespace upwash::schedule::detail {

void processors::add(const event& e, step_number of_step) {
  processor& one = of(e.rank);
  one.tasks.push_back({of_step, tasks_++, e.what, e.subject});
  std::push_heap(one.tasks.begin(), one.tasks.end());
  choose_later(e.rank, e.at);
}

void processors::choose_later(int rank, duration at) {
  processor& one = of(rank);
  if (one.chooses || one.tasks.empty()) return;
  one.chooses = true;
  events_.post(std::max(at, one.free), rank, happening::choose, 0);
}

std::optional<event> processors::choose(int rank, duration at) {
  processor& one = of(rank);
  one.chooses = false;
  if (one.free > at) {
    choose_later(rank, at);
    return {};
  }
  std::pop_heap(one.tasks.begin(), one.tasks.end());
  const task next = one.tasks.back();
  one.tasks.pop_back();
  return event{at, rank, next.what, next.subject};
}

}  // namespace upwash::schedule::detail
