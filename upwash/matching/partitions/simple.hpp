// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Partitions that need neither profile nor history: one queue, a queue for each source as Open MPI
// has it, the same through a tree of rank digits, and bins.
#pragma once

#include <array>

#include "upwash/matching/partitions/router.hpp"

namespace upwash::matching {

struct single : router_base {
  static constexpr bool one_queue = true;
  explicit single(const shape& /*s*/) {}
  [[nodiscard]] static bool decides(const envelope& /*e*/) noexcept { return true; }
  [[nodiscard]] std::uint32_t home(const envelope& /*e*/) noexcept { return 0; }
  template <class F>
  void visit(const envelope& /*e*/, F&& f) {
    f(0U);
  }
  [[nodiscard]] division describe() const { return {}; }
};

/// An array over the sources for each context (Ghazimirsaeed 2019, figure 2.6). Memory grows with
/// the number of ranks: kept to compare with.
class per_source : public router_base {
 public:
  explicit per_source(const shape& s) : ranks_(static_cast<std::size_t>(s.ranks)), keys_(s.ranks) {}

  [[nodiscard]] std::uint32_t home(const envelope& e) {
    std::uint32_t& q = queue_of(e);
    if (q == none) q = made_++;
    return q;
  }
  template <class F>
  void visit(const envelope& e, F&& f) {
    if (const std::uint32_t q = queue_of(e); q != none) f(q);
  }
  /// All queues of the envelope's context (equation 4.11).
  template <class F>
  void visit_context(const envelope& e, F&& f) {
    const std::uint32_t context = keys_.context(e.context);
    if (context >= of_.size()) return;
    for (const std::uint32_t q : of_[context]) {
      if (q != none) f(q);
    }
  }
  [[nodiscard]] division describe() const {
    std::size_t bytes = 0;
    for (const auto& each : of_) bytes += each.capacity() * sizeof(std::uint32_t);
    return {.queues = made_, .bytes = bytes};
  }

 private:
  static constexpr std::uint32_t none = ~0U;
  std::uint32_t& queue_of(const envelope& e) {
    const std::uint32_t context = keys_.context(e.context);
    while (of_.size() <= context) of_.emplace_back(ranks_, none);
    return of_[context].at(static_cast<std::size_t>(e.source));
  }

  std::size_t ranks_;
  source_keys keys_;
  std::vector<std::vector<std::uint32_t>> of_;
  std::uint32_t made_ = 0;
};

/// The rank as four digits, a level of a tree each, made where used (Zounmevo and Afsahi, discussed
/// in Ghazimirsaeed 2019, chapter 3): four steps to a queue, memory by the sources in use.
class rank4d : public router_base {
 public:
  explicit rank4d(const shape& s) : keys_(s.ranks) {
    while (base_ * base_ * base_ * base_ < static_cast<std::uint32_t>(s.ranks)) ++base_;
  }

  [[nodiscard]] std::uint32_t home(const envelope& e) {
    const std::uint32_t context = keys_.context(e.context);
    while (roots_.size() <= context) roots_.push_back(new_node());
    std::uint32_t at = roots_[context];
    const auto digits = digits_of(e.source);
    for (std::size_t i = 0; i + 1 < digits.size(); ++i) {
      if (tree_[at + digits[i]] == 0) {
        const std::uint32_t made = new_node();
        tree_[at + digits[i]] = made;
      }
      at = tree_[at + digits[i]];
    }
    std::uint32_t& leaf = tree_[at + digits.back()];
    if (leaf == 0) leaf = ++made_;
    return leaf - 1;
  }
  template <class F>
  void visit(const envelope& e, F&& f) {
    const std::uint32_t context = keys_.context(e.context);
    if (context >= roots_.size()) return;
    std::uint32_t at = roots_[context];
    for (const std::uint32_t digit : digits_of(e.source)) {
      at = tree_[at + digit];
      if (at == 0) return;
    }
    f(at - 1);
  }
  [[nodiscard]] division describe() const {
    return {.queues = made_, .levels = 4, .bytes = tree_.capacity() * sizeof(std::uint32_t)};
  }

 private:
  [[nodiscard]] std::array<std::uint32_t, 4> digits_of(std::int32_t source) const noexcept {
    const auto r = static_cast<std::uint32_t>(source);
    const std::uint32_t b = base_;
    return {r / (b * b * b) % b, r / (b * b) % b, r / b % b, r % b};
  }
  /// `base_` empty children; 0 is nobody's index, since the first node begins at 1.
  std::uint32_t new_node() {
    if (tree_.empty()) tree_.push_back(0);
    const auto at = static_cast<std::uint32_t>(tree_.size());
    tree_.resize(tree_.size() + base_, 0);
    return at;
  }

  source_keys keys_;
  std::uint32_t base_ = 1;
  std::vector<std::uint32_t> roots_;  ///< by context
  std::vector<std::uint32_t> tree_;   ///< children, and queue + 1 in the leaves
  std::uint32_t made_ = 0;
};

/// A fixed number of queues by a hash of context, source and tag (Flajslik and others, discussed in
/// Ghazimirsaeed 2019, chapter 4). Wild receives lie apart.
class bins : public router_base {
 public:
  explicit bins(const shape& s) : count_(s.bins) {}
  [[nodiscard]] static bool decides(const envelope& e) noexcept { return wild_class(e) == 0; }
  [[nodiscard]] std::uint32_t home(const envelope& e) const noexcept {
    return static_cast<std::uint32_t>(mixed(e) % count_);
  }
  template <class F>
  void visit(const envelope& e, F&& f) {
    f(home(e));
  }
  [[nodiscard]] division describe() const { return {.queues = count_}; }

 private:
  std::uint32_t count_;
};

/// One queue until it is longer than the threshold, bins for what comes after (Bayatpour and
/// others, discussed in Ghazimirsaeed 2019, chapter 4).
class switching : public router_base {
 public:
  explicit switching(const shape& s) : threshold_(s.threshold), bins_(s) {}
  [[nodiscard]] static bool decides(const envelope& e) noexcept { return bins::decides(e); }
  [[nodiscard]] std::uint32_t home(const envelope& e) const noexcept {
    return switched_ ? 1 + bins_.home(e) : 0;
  }
  template <class F>
  void visit(const envelope& e, F&& f) {
    if (!f(0U) && switched_) f(1 + bins_.home(e));
  }
  template <class Queues>
  void inserted(std::uint32_t queue, const entry& /*e*/, Queues& queues) {
    if (queue == 0 && queues[0].size() > threshold_) switched_ = true;
  }
  [[nodiscard]] division describe() const {
    return {.queues = switched_ ? 1 + bins_.describe().queues : 1, .levels = switched_ ? 1U : 0U};
  }

 private:
  std::uint32_t threshold_;
  bins bins_;
  bool switched_ = false;
};

}  // namespace upwash::matching
