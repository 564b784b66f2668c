// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/objects/detail/reduction_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "upwash/base/ensure.hpp"
#include "upwash/base/error.hpp"

namespace upwash::objects {
void refuse_lengths(std::size_t one, std::size_t other) {
  throw error(error_kind::argument,
              fmt::format("objects contribute vectors of {} and of {} elements to one reduction",
                          one, other));
}

void refuse_kinds() {
  throw error(error_kind::argument,
              "objects contribute to one reduction with different operators, types or targets: "
              "the n-th contributions of all objects are one reduction");
}

reduction_node::reduction_node(const std::vector<int>& children, bool whole) {
  if (whole) told_.push_back({0, true});
  for (const int each : children) {
    children_.push_back({each, {}});
    if (whole) children_.back().events.push_back({0, 0, true});
  }
}

reduction_node::child& reduction_node::find(int member) {
  const auto found = std::ranges::find(children_, member, &child::member);
  ensure(found != children_.end(), "a reduction hears of a member that is no child", member);
  return *found;
}

void reduction_node::child_changes(int of, const std::vector<activity>& now, std::uint64_t epoch) {
  auto& events = find(of).events;
  if (!events.empty() && events.back().epoch > epoch) return;  // it was filled since it said so
  std::erase_if(events, [&](const event& each) { return each.from >= now.front().from; });
  for (const activity& each : now) events.push_back({each.from, epoch, each.active});
}

/// What it says after it was filled holds; that may have come before this rank was filled.
void reduction_node::fill_child(int of, std::uint64_t from, std::uint64_t epoch) {
  auto& events = find(of).events;
  std::erase_if(events, [&](const event& each) { return each.epoch < epoch && each.from >= from; });
  const auto ahead =
      std::ranges::find_if(events, [&](const event& each) { return each.epoch >= epoch; });
  if (ahead == events.end() || ahead->from > from) events.insert(ahead, {from, epoch, true});
}

void reduction_node::join(incomplete& sum, std::unique_ptr<contribution> with) {
  if (sum.sum == nullptr) {
    sum.sum = std::move(with);
  } else {
    sum.sum->add(*with);
  }
}

void reduction_node::add(std::uint64_t number, std::unique_ptr<contribution> of_object) {
  if (number <= passed_ || std::cmp_greater_equal(sums_[number].objects, population(number))) {
    throw error(error_kind::argument,
                fmt::format("more objects contribute to reduction {} than take part: one that was "
                            "inserted after the section was made is not in it",
                            number));
  }
  incomplete& to = sums_[number];
  join(to, std::move(of_object));
  ++to.objects;
}

void reduction_node::add_of_child(std::uint64_t number, std::unique_ptr<contribution> sum) {
  ensure(number > passed_, "a child contributes to a reduction that is over", number, passed_);
  incomplete& to = sums_[number];
  join(to, std::move(sum));
  ++to.children;
}

std::int64_t reduction_node::population(std::uint64_t number) const {
  std::int64_t all = 0;
  for (const auto& [from, more] : population_) {
    if (from <= number) all += more;
  }
  return all;
}

std::uint64_t reduction_node::active_children(std::uint64_t number) const {
  std::uint64_t count = 0;
  for (const child& each : children_) {
    bool active = false;
    for (const event& change : each.events) {
      if (change.from <= number) active = change.active;
    }
    if (active) ++count;
  }
  return count;
}

std::optional<reduction_node::passing> reduction_node::take() {
  while (!sums_.empty()) {
    const std::uint64_t number = passed_ + 1;
    const std::int64_t objects = population(number);
    const std::uint64_t children = active_children(number);
    auto first = sums_.begin();
    if (objects == 0 && children == 0 && first->first > number) {
      ++passed_;  // nobody here takes part
      continue;
    }
    if (first->first != number || std::cmp_not_equal(first->second.objects, objects) ||
        first->second.children != children) {
      return std::nullopt;
    }
    passing complete{number, std::move(first->second.sum)};
    sums_.erase(first);
    passed_ = number;
    forget_passed();
    return complete;
  }
  return std::nullopt;
}

/// Changes that count for all that is to come are one.
void reduction_node::forget_passed() {
  std::int64_t base = 0;
  while (!population_.empty() && population_.begin()->first <= passed_ + 1) {
    base += population_.begin()->second;
    population_.erase(population_.begin());
  }
  if (base != 0) population_[passed_ + 1] = base;
  for (child& each : children_) {
    while (each.events.size() > 1 && each.events[1].from <= passed_ + 1) {
      each.events.erase(each.events.begin());
    }
  }
}

std::vector<reduction_node::activity> reduction_node::activities() const {
  std::vector<std::uint64_t> numbers{passed_ + 1};
  for (const auto& [from, more] : population_) numbers.push_back(from);
  for (const child& each : children_) {
    for (const event& change : each.events) numbers.push_back(change.from);
  }
  std::ranges::sort(numbers);
  std::vector<activity> all;
  for (const std::uint64_t from : numbers) {
    if (from <= passed_) continue;
    const bool active = population(from) != 0 || active_children(from) != 0;
    if (all.empty() || all.back().active != active) all.push_back({from, active});
  }
  return all;
}

std::vector<reduction_node::activity> reduction_node::news() {
  const auto at = [](const std::vector<activity>& of, std::uint64_t number) {
    bool active = false;
    for (const activity& each : of) {
      if (each.from <= number) active = each.active;
    }
    return active;
  };
  std::vector<activity> now = activities();
  const auto differs = [&](const activity& each) {
    return each.from > passed_ && at(now, each.from) != at(told_, each.from);
  };
  if (std::ranges::none_of(now, differs) && std::ranges::none_of(told_, differs)) return {};
  told_ = now;
  return now;
}

reduction_node::progress reduction_node::next() const {
  progress at{passed_ + 1, 0, 0, 0, 0};
  if (!sums_.empty()) {
    at.number = sums_.begin()->first;
    at.objects = sums_.begin()->second.objects;
    at.children = sums_.begin()->second.children;
  }
  at.objects_in_all = static_cast<std::uint64_t>(std::max<std::int64_t>(0, population(at.number)));
  at.children_in_all = active_children(at.number);
  return at;
}

}  // namespace upwash::objects
