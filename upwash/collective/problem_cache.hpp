// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A cache of a selector's results by problem. The whole problem is the key, and the number of
// entries is limited. Recomputing a dropped entry must give the same value, because other members
// may still have it.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <utility>

#include "upwash/collective/problem.hpp"

namespace upwash::collective {

/// Values by problem, ignoring its label. Drops the least recently used entry first. O(log
/// entries).
template <class Value>
class problem_cache {
 public:
  explicit problem_cache(std::size_t most) : most_(most) {}

  /// Returns the value, or null. Valid until the next `add`.
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
  /// Removes the label, which is valid only during a call.
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
