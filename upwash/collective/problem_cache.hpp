// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What selectors keep of problems: the whole problem is the key, and only so many are kept. Whoever
// asks again for what was dropped must come to the same, since other members may have kept it.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <utility>

#include "upwash/collective/problem.hpp"

namespace upwash::collective {

/// Values by problem, but for its label. The least recently used goes first. O(log kept).
template <class Value>
class problem_cache {
 public:
  explicit problem_cache(std::size_t most) : most_(most) {}

  /// The value kept, or null; good until the next `add`.
  [[nodiscard]] Value* find(const problem& of) {
    const auto found = at_.find(unlabelled(of));
    if (found == at_.end()) return nullptr;
    kept_.splice(kept_.begin(), kept_, found->second);
    return &found->second->second;
  }

  Value& add(const problem& of, Value&& value) {
    if (at_.size() >= most_) {
      at_.erase(kept_.back().first);
      kept_.pop_back();
    }
    kept_.emplace_front(unlabelled(of), std::move(value));
    at_.insert_or_assign(kept_.front().first, kept_.begin());
    return kept_.front().second;
  }

  void clear() noexcept {
    at_.clear();
    kept_.clear();
  }
  [[nodiscard]] std::size_t size() const noexcept { return kept_.size(); }

 private:
  /// The label is good during a call only.
  static problem unlabelled(problem of) noexcept {
    of.label = {};
    return of;
  }

  using entries = std::list<std::pair<problem, Value>>;
  std::size_t most_;
  entries kept_;  ///< most recently used first
  std::map<problem, typename entries::iterator> at_;
};

}  // namespace upwash::collective
