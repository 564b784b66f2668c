// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// UCX's store: a table of 1,021 buckets for exact entries. Posted: one list for all wild receives,
// merged by sequence. Unexpected: one list of all messages, for wild receives to walk. find is O(1)
// while nothing is wild, O(n) else.
#pragma once

#include <vector>

#include "upwash/matching/engines/list.hpp"
#include "upwash/matching/engines/node_pool.hpp"

namespace upwash::matching {

class hash {
 public:
  explicit hash(side which) : side_(which), wild_(which) {}

  void insert(entry& e) {
    if (buckets_.empty()) buckets_.assign(bucket_count, list(side_));
    ++size_;
    if (wild_class(e.what) != 0) return wild_.insert(e);
    bucket(e.what).insert(e);
    if (side_ == side::unexpected) append_to_all(e);
  }

  [[nodiscard]] entry* find(const envelope& wanted, costs& spent) const noexcept {
    if (size_ == 0) return nullptr;
    if (wild_class(wanted) != 0) return first_of_all(wanted, spent);
    entry* exact = bucket(wanted).find(wanted, spent);
    return wild_.size() == 0 ? exact : earlier(exact, wild_.find(wanted, spent));
  }

  void erase(entry& e) noexcept {
    --size_;
    if (wild_class(e.what) != 0) return wild_.erase(e);
    bucket(e.what).erase(e);
    if (side_ == side::unexpected) remove_from_all(*static_cast<node*>(e.home));
  }

  template <class Visit>
  void for_each(Visit&& visit) {
    for (list& each : buckets_) each.for_each(visit);
    wild_.for_each(visit);
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return sizeof *this + buckets_.capacity() * sizeof(list) + nodes_.bytes();
  }

 private:
  static constexpr std::size_t bucket_count = 1021;  ///< prime; the table fits a first-level cache

  struct node {
    entry* of = nullptr;
    node* next = nullptr;
    node* previous = nullptr;
    node* next_free = nullptr;
  };

  [[nodiscard]] list& bucket(const envelope& e) noexcept {
    return buckets_[mixed(e) % bucket_count];
  }
  [[nodiscard]] const list& bucket(const envelope& e) const noexcept {
    return buckets_[mixed(e) % bucket_count];
  }

  void append_to_all(entry& e) {
    node* n = nodes_.take();
    *n = {&e, nullptr, last_, nullptr};
    (last_ != nullptr ? last_->next : first_) = n;
    last_ = n;
    e.home = n;
  }
  void remove_from_all(node& n) noexcept {
    (n.previous != nullptr ? n.previous->next : first_) = n.next;
    (n.next != nullptr ? n.next->previous : last_) = n.previous;
    nodes_.give_back(&n);
  }
  [[nodiscard]] entry* first_of_all(const envelope& wanted, costs& spent) const noexcept {
    for (const node* n = first_; n != nullptr; n = n->next) {
      ++spent.traversals;
      if (fit(n->of->what, wanted)) return n->of;
    }
    return nullptr;
  }

  side side_;
  std::vector<list> buckets_;  ///< made with the first entry: 24 KiB
  list wild_;
  node* first_ = nullptr;
  node* last_ = nullptr;
  node_pool<node> nodes_;
  std::size_t size_ = 0;
};

}  // namespace upwash::matching
