// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One doubly linked list: what MPICH and MVAPICH do (Ghazimirsaeed 2019, figure 2.5), and the
// baseline that every gain is measured against. find is O(n).
#pragma once

#include "upwash/matching/engines/engine.hpp"

namespace upwash::matching {

class list {
 public:
  explicit list(side /*which*/) {}

  void insert(entry& e) noexcept {
    e.near.next = nullptr;
    e.near.previous = tail_;
    (tail_ != nullptr ? tail_->near.next : head_) = &e;
    tail_ = &e;
    ++size_;
  }

  [[nodiscard]] entry* find(const envelope& wanted, costs& spent) const noexcept {
    std::uint64_t seen = 0;
    entry* e = head_;
    for (; e != nullptr; e = e->near.next) {
      ++seen;
      if (fit(e->what, wanted)) break;
    }
    spent.traversals += seen;
    return e;
  }

  entry* take(const envelope& wanted, costs& spent) noexcept {
    entry* e = find(wanted, spent);
    if (e != nullptr) erase(*e);
    return e;
  }

  void erase(entry& e) noexcept {
    (e.near.previous != nullptr ? e.near.previous->near.next : head_) = e.near.next;
    (e.near.next != nullptr ? e.near.next->near.previous : tail_) = e.near.previous;
    --size_;
  }

  /// The earliest of all, or null.
  [[nodiscard]] entry* first() const noexcept { return head_; }

  /// `visit` may erase what it is given.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (entry* e = head_; e != nullptr;) {
      entry& given = *e;
      e = e->near.next;
      visit(given);
    }
  }

  /// Forgets the entries, which belong to another engine now.
  void clear() noexcept {
    head_ = tail_ = nullptr;
    size_ = 0;
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return sizeof *this; }

 private:
  entry* head_ = nullptr;
  entry* tail_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace upwash::matching
