// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One table for each wild class in use, merged by sequence: find, insert and erase are O(1)
// whatever is wild. Posted: a receive lies in the table of its class, and a message looks in those
// that are not empty. Unexpected: a message lies in the table of exact keys, and in that of each
// class that a receive or probe has asked for so far.
#pragma once

#include <algorithm>
#include <vector>

#include "upwash/matching/engines/detail/key_table.hpp"
#include "upwash/matching/engines/node_pool.hpp"

namespace upwash::matching {

class classes {
 public:
  explicit classes(side which) : side_(which) {}

  void insert(entry& e) {
    ++size_;
    if (side_ == side::posted) {
      const unsigned c = wild_class(e.what);
      if (c != 0) ++wild_size_;
      return main_[c].insert(e);
    }
    main_[0].insert(e);
    e.home = nullptr;
    if (indexed_ != 0) index(e);
  }

  [[nodiscard]] entry* find(const envelope& wanted, costs& spent) {
    if (side_ == side::unexpected) return find_unexpected(wanted, spent);
    entry* best = main_[0].find(wanted, spent);
    if (wild_size_ == 0) return best;
    for (unsigned c = 1; c < wild_classes; ++c) {
      if (!main_[c].empty()) best = earlier(best, main_[c].find(wanted, spent));
    }
    return best;
  }

  entry* take(const envelope& wanted, costs& spent) {
    const bool only_exact =
        side_ == side::posted ? wild_size_ == 0 : indexed_ == 0 && wild_class(wanted) == 0;
    if (only_exact) {
      entry* e = main_[0].take(wanted, spent);
      if (e != nullptr) --size_;
      return e;
    }
    entry* e = find(wanted, spent);
    if (e != nullptr) erase(*e);
    return e;
  }

  void erase(entry& e) noexcept {
    --size_;
    if (side_ == side::posted) {
      const unsigned c = wild_class(e.what);
      if (c != 0) --wild_size_;
      return main_[c].erase(e);
    }
    main_[0].erase(e);
    if (e.home == nullptr) return;
    for (unsigned c = 1; c < wild_classes; ++c) {
      if ((indexed_ >> c & 1U) != 0) wild_[c - 1].erase(e);
    }
    nodes_.give_back(static_cast<node*>(e.home));
  }

  template <class Visit>
  void for_each(Visit&& visit) {
    for (auto& each : main_) each.for_each(visit);
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t bytes() const noexcept {
    std::size_t sum = sizeof *this + nodes_.bytes();
    for (const auto& each : main_) sum += each.bytes();
    for (const auto& each : wild_) sum += each.bytes();
    return sum;
  }

 private:
  /// Links of an unexpected entry in the tables of wild classes.
  struct alignas(64) node {
    entry_links in[wild_classes - 1];
    node* next_free = nullptr;
  };
  struct own_links {
    static entry_links& of(entry& e, unsigned /*wild*/) noexcept { return e.near; }
  };
  struct node_links {
    static entry_links& of(entry& e, unsigned wild) noexcept {
      return static_cast<node*>(e.home)->in[wild - 1];
    }
  };

  [[nodiscard]] entry* find_unexpected(const envelope& wanted, costs& spent) {
    const unsigned c = wild_class(wanted);
    if (c == 0) return main_[0].find(wanted, spent);
    if ((indexed_ >> c & 1U) == 0) start_index(c);
    return wild_[c - 1].find(wanted, spent);
  }

  [[gnu::noinline]] void index(entry& e) {
    if (e.home == nullptr) e.home = nodes_.take();
    for (unsigned c = 1; c < wild_classes; ++c) {
      if ((indexed_ >> c & 1U) != 0) wild_[c - 1].insert(e);
    }
  }

  /// The first receive of this class: what is here is entered in its order. O(n log n), once.
  [[gnu::noinline]] void start_index(unsigned c) {
    std::vector<entry*> here;
    here.reserve(size_);
    main_[0].for_each([&](entry& e) { here.push_back(&e); });
    std::sort(here.begin(), here.end(),
              [](const entry* a, const entry* b) { return a->sequence < b->sequence; });
    indexed_ |= 1U << c;
    for (entry* e : here) {
      if (e->home == nullptr) e->home = nodes_.take();
      wild_[c - 1].insert(*e);
    }
  }

  side side_;
  unsigned indexed_ = 0;  ///< bits of the wild classes that unexpected entries are entered for
  std::size_t size_ = 0;
  std::size_t wild_size_ = 0;  ///< of posted entries, those with something wild
  /// By class; of the unexpected side only the first, of exact keys.
  detail::key_table<own_links> main_[wild_classes] = {
      detail::key_table<own_links>(0), detail::key_table<own_links>(1),
      detail::key_table<own_links>(2), detail::key_table<own_links>(3)};
  detail::key_table<node_links> wild_[wild_classes - 1] = {detail::key_table<node_links>(1),
                                                           detail::key_table<node_links>(2),
                                                           detail::key_table<node_links>(3)};
  node_pool<node> nodes_;
};

}  // namespace upwash::matching
