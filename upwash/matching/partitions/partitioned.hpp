// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A router and an engine put together: a whole store. Entries whose queue is not told by their
// envelope (wild sources) lie in a queue of their own; sequence numbers decide between queues
// (Ghazimirsaeed 2019, 3.3).
#pragma once

#include <deque>

#include "upwash/matching/partitions/router.hpp"

namespace upwash::matching {

template <engine Engine, router Router>
class partitioned {
 public:
  partitioned(side which, const shape& s) : side_(which), router_(s), undecided_(which) {
    queues_.emplace_back(which);
  }

  void insert(entry& e) {
    e.sequence = ++inserted_;
    if constexpr (one_queue) {
      queues_.front().insert(e);
    } else if (!Router::decides(e.what)) {
      e.queue = no_queue;
      undecided_.insert(e);
    } else {
      e.queue = router_.home(e.what);
      while (queues_.size() <= e.queue) queues_.emplace_back(side_);
      queues_[e.queue].insert(e);
      router_.inserted(e.queue, e, queues_);
    }
  }

  [[nodiscard]] entry* find(const envelope& wanted) {
    ++spent_.searches;
    if constexpr (one_queue) {
      return queues_.front().find(wanted, spent_);
    } else {
      const std::uint64_t before = spent_.traversals;
      entry* best = Router::decides(wanted) ? find_decided(wanted) : find_everywhere(wanted);
      if (undecided_.size() > 0) best = earlier(best, undecided_.find(wanted, spent_));
      router_.searched(wanted, spent_.traversals - before);
      return best;
    }
  }

  /// What `find` would find, erased.
  entry* take(const envelope& wanted) {
    if constexpr (one_queue && requires { queues_.front().take(wanted, spent_); }) {
      ++spent_.searches;
      return queues_.front().take(wanted, spent_);
    } else {
      entry* e = find(wanted);
      if (e != nullptr) erase(*e);
      return e;
    }
  }

  void erase(entry& e) {
    if constexpr (one_queue) {
      queues_.front().erase(e);
    } else if (e.queue == no_queue) {
      undecided_.erase(e);
    } else {
      queues_[e.queue].erase(e);
      router_.erased(e.queue, e);
    }
  }

  [[nodiscard]] const costs& spent() const noexcept { return spent_; }
  /// Its bytes count the engines too.
  [[nodiscard]] division describe() const {
    division all = router_.describe();
    all.bytes += sizeof *this + undecided_.bytes();
    for (const Engine& each : queues_) all.bytes += each.bytes();
    return all;
  }

 private:
  static constexpr std::uint32_t no_queue = ~0U;
  static constexpr bool one_queue = requires { Router::one_queue; };

  [[nodiscard]] entry* find_decided(const envelope& wanted) {
    entry* best = nullptr;
    router_.visit(wanted, [&](std::uint32_t q) {
      if (q >= queues_.size()) return false;
      entry* found = queues_[q].find(wanted, spent_);
      best = earlier(best, found);
      return Router::oldest_first && found != nullptr;
    });
    return best;
  }

  [[nodiscard]] entry* find_everywhere(const envelope& wanted) {
    entry* best = nullptr;
    const auto look_into = [&](Engine& each) {
      if (each.size() > 0) best = earlier(best, each.find(wanted, spent_));
    };
    if constexpr (requires { router_.visit_context(wanted, [](std::uint32_t) {}); }) {
      router_.visit_context(wanted, [&](std::uint32_t q) {
        if (q < queues_.size()) look_into(queues_[q]);
      });
    } else {
      for (Engine& each : queues_) look_into(each);
    }
    return best;
  }

  side side_;
  Router router_;
  Engine undecided_;
  std::deque<Engine> queues_;
  costs spent_;
  std::uint64_t inserted_ = 0;
};

}  // namespace upwash::matching
