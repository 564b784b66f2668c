// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Partner queues: those who send much have a queue of their own, all others share one
// (Ghazimirsaeed 2019, chapter 4). Static: from a profile. Dynamic: found while running, level by
// level, as a shared queue grows long.
#pragma once

#include "upwash/base/duration.hpp"
#include "upwash/matching/partitions/selection.hpp"

namespace upwash::matching {

/// Figure 4.2, Algorithm 4.2. Queue 0 is the shared one. Partners are sources in a context
/// (equation 4.1); contexts that the profile lacks have none.
class partner_static : public router_base {
 public:
  explicit partner_static(const shape& s);

  [[nodiscard]] std::uint32_t home(const envelope& e) {
    return static_cast<std::uint32_t>(table_.locate(keys_.key(e)) + 1);
  }
  template <class F>
  void visit(const envelope& e, F&& f) {
    f(home(e));
  }
  [[nodiscard]] division describe() const {
    return {.queues = partners_ + 1, .partners = partners_, .bytes = table_.bytes()};
  }

 private:
  source_keys keys_;
  perfect_hash table_;
  std::size_t partners_ = 0;
};

/// Figure 4.3, Algorithm 4.3. Queue 0 is the initial one; each level adds its partners' queues and
/// a new shared one. A partner of level l may have entries in the initial queue and in the shared
/// ones below l; these are older, so they are searched first.
class partner_dynamic : public router_base {
 public:
  explicit partner_dynamic(const shape& s);

  [[nodiscard]] std::uint32_t home(const envelope& e) {
    const auto found = partners_.find(keys_.key(e));
    return found == partners_.end() ? shared_.back() : found->second.queue;
  }

  template <class F>
  void visit(const envelope& e, F&& f) {
    if (partners_.empty()) return static_cast<void>(f(0U));
    const auto found = partners_.find(keys_.key(e));
    const std::size_t below = found == partners_.end() ? shared_.size() : found->second.level;
    for (std::size_t i = 0; i < below; ++i) {
      if (f(shared_[i])) return;
    }
    if (found != partners_.end()) f(found->second.queue);
  }

  template <class Queues>
  void inserted(std::uint32_t queue, const entry& /*e*/, Queues& queues) {
    if (queue != shared_.back() || queues[queue].size() <= divide_above_) return;
    const duration start = steady_now();
    std::unordered_map<std::uint64_t, std::uint64_t> counts;
    queues[queue].for_each([&](entry& each) { ++counts[keys_.key(each.what)]; });
    divide(counts, queues[queue].size());
    managing_ns_ += static_cast<std::uint64_t>((steady_now() - start).ns());
  }

  [[nodiscard]] division describe() const;

 private:
  struct partner {
    std::uint32_t queue;
    std::size_t level;  ///< how many shared queues may hold older entries
  };

  /// Makes a level of those above the edge point, if any and while the bound allows.
  void divide(const std::unordered_map<std::uint64_t, std::uint64_t>& counts, std::size_t length);

  shape by_;
  source_keys keys_;
  std::size_t most_partners_;
  std::unordered_map<std::uint64_t, partner> partners_;
  std::vector<std::uint32_t> shared_{0};
  std::uint32_t made_ = 1;
  std::size_t divide_above_;
  std::uint64_t managing_ns_ = 0;
};

}  // namespace upwash::matching
