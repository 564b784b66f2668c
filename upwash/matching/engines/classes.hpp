// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One table for each wild class in use, merged by sequence: find, insert and erase are O(1)
// whatever is wild. Posted: a receive lies in the table of its class, and a message looks in those
// that are not empty. Unexpected: a message lies in the table of exact keys, and in that of each
// class that a receive or probe has asked for so far.
#pragma once

#include <algorithm>
#include <tuple>
#include <vector>

#include "upwash/matching/engines/detail/key_table.hpp"
#include "upwash/matching/engines/node_pool.hpp"

namespace upwash::matching {

class classes {
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
  template <unsigned Wild>
  using own_table = detail::key_table<own_links, Wild>;
  template <unsigned Wild>
  using node_table = detail::key_table<node_links, Wild>;

  [[nodiscard]] own_table<0>& exact() noexcept { return std::get<0>(main_); }

  /// Calls `f` with the table of that class.
  template <class Tables, class F>
  static decltype(auto) with(Tables& tables, unsigned c, F&& f) {
    if (c == 0) return f(std::get<0>(tables));
    if (c == 1) return f(std::get<1>(tables));
    if (c == 2) return f(std::get<2>(tables));
    return f(std::get<3>(tables));
  }
  template <class Tables, class F>
  static void for_all(Tables& tables, F&& f) {
    std::apply([&](auto&... each) { (f(each), ...); }, tables);
  }
  /// With the tables of wild classes that unexpected entries are entered in.
  template <class F>
  void for_indexed(F&& f) {
    for (unsigned c = 1; c < wild_classes; ++c) {
      if ((indexed_ >> c & 1U) != 0) with(wild_, c, f);
    }
  }

 public:
  explicit classes(side which) : side_(which) {}

  void insert(entry& e) {
    ++size_;
    if (side_ == side::posted) {
      const unsigned c = wild_class(e.what);
      if (c != 0) ++wild_size_;
      return with(main_, c, [&](auto& table) { table.insert(e); });
    }
    exact().insert(e);
    e.home = nullptr;
    if (indexed_ != 0) index(e);
  }

  [[nodiscard]] entry* find(const envelope& wanted, costs& spent) {
    if (side_ == side::unexpected) return find_unexpected(wanted, spent);
    entry* best = exact().find(wanted, spent);
    if (wild_size_ == 0) return best;
    const auto look_into = [&](const auto& table) {
      if (!table.empty()) best = earlier(best, table.find(wanted, spent));
    };
    look_into(std::get<1>(main_));
    look_into(std::get<2>(main_));
    look_into(std::get<3>(main_));
    return best;
  }

  entry* take(const envelope& wanted, costs& spent) {
    const bool only_exact =
        side_ == side::posted ? wild_size_ == 0 : indexed_ == 0 && wild_class(wanted) == 0;
    if (only_exact) {
      entry* e = exact().take(wanted, spent);
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
      return with(main_, c, [&](auto& table) { table.erase(e); });
    }
    exact().erase(e);
    if (e.home == nullptr) return;
    for_indexed([&](auto& table) { table.erase(e); });
    nodes_.give_back(static_cast<node*>(e.home));
  }

  template <class Visit>
  void for_each(Visit&& visit) {
    for_all(main_, [&](auto& table) { table.for_each(visit); });
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t bytes() const noexcept {
    std::size_t sum = sizeof *this + nodes_.bytes();
    const auto add = [&](const auto& table) { sum += table.bytes(); };
    for_all(main_, add);
    for_all(wild_, add);
    return sum;
  }

 private:
  [[nodiscard]] entry* find_unexpected(const envelope& wanted, costs& spent) {
    const unsigned c = wild_class(wanted);
    if (c == 0) return exact().find(wanted, spent);
    if ((indexed_ >> c & 1U) == 0) start_index(c);
    return with(wild_, c, [&](const auto& table) { return table.find(wanted, spent); });
  }

  [[gnu::noinline]] void index(entry& e) {
    e.home = nodes_.take();
    for_indexed([&](auto& table) { table.insert(e); });
  }

  /// The first receive of this class: what is here is entered in its order. O(n log n), once.
  [[gnu::noinline]] void start_index(unsigned c) {
    std::vector<entry*> here;
    here.reserve(size_);
    exact().for_each([&](entry& e) { here.push_back(&e); });
    std::sort(here.begin(), here.end(),
              [](const entry* a, const entry* b) { return a->sequence < b->sequence; });
    indexed_ |= 1U << c;
    for (entry* e : here) {
      if (e->home == nullptr) e->home = nodes_.take();
      with(wild_, c, [&](auto& table) { table.insert(*e); });
    }
  }

  side side_;
  unsigned indexed_ = 0;  ///< bits of the wild classes that unexpected entries are entered for
  std::size_t size_ = 0;
  std::size_t wild_size_ = 0;  ///< of posted entries, those with something wild
  /// By class; of the unexpected side only the first, of exact keys.
  std::tuple<own_table<0>, own_table<1>, own_table<2>, own_table<3>> main_;
  /// By class; of the exact one there is none. All entries, once something has asked for the class.
  std::tuple<node_table<0>, node_table<1>, node_table<2>, node_table<3>> wild_;
  node_pool<node> nodes_;
};

}  // namespace upwash::matching
