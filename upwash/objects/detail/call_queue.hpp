// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The waiting calls of a rank: by priority, then in the order of arrival.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "upwash/base/fifo.hpp"
#include "upwash/objects/detail/element.hpp"
#include "upwash/objects/options.hpp"

namespace upwash::objects {

/// O(1) for calls of priority 0, which are the most frequent; otherwise O(log of the others).
class call_queue {
 public:
  [[nodiscard]] bool empty() const noexcept { return usual_.empty() && others_.empty(); }
  /// Returns whether there are calls, but none that run before the rank is idle.
  [[nodiscard]] bool only_when_idle() const noexcept {
    return usual_.empty() && !others_.empty() && others_.front().call->head.priority == when_idle;
  }

  void push(std::unique_ptr<invocation> call) {
    if (call->head.priority == 0) return usual_.push_back(std::move(call));
    others_.push_back({came_++, std::move(call)});
    std::ranges::push_heap(others_, later);
  }

  [[nodiscard]] std::unique_ptr<invocation> pop() {
    const bool first = !others_.empty() && others_.front().call->head.priority < 0;
    if (!first && !usual_.empty()) {
      std::unique_ptr<invocation> next = std::move(usual_.front());
      usual_.pop_front();
      return next;
    }
    std::ranges::pop_heap(others_, later);
    std::unique_ptr<invocation> next = std::move(others_.back().call);
    others_.pop_back();
    return next;
  }

  /// Removes the calls of an array that is destroyed.
  void remove(std::uint64_t array) {
    for (std::size_t count = usual_.size(); count > 0; --count) {
      std::unique_ptr<invocation> each = std::move(usual_.front());
      usual_.pop_front();
      if (each->head.array != array) usual_.push_back(std::move(each));
    }
    std::erase_if(others_, [&](const waiting& each) { return each.call->head.array == array; });
    std::ranges::make_heap(others_, later);
  }

 private:
  struct waiting {
    std::uint64_t number;
    std::unique_ptr<invocation> call;
  };
  static bool later(const waiting& a, const waiting& b) noexcept {
    const int of_a = a.call->head.priority, of_b = b.call->head.priority;
    return of_a != of_b ? of_a > of_b : a.number > b.number;
  }

  fifo<std::unique_ptr<invocation>> usual_;  ///< of priority 0
  std::vector<waiting> others_;              ///< a heap
  std::uint64_t came_ = 0;
};

}  // namespace upwash::objects
