// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The default: the newest entries in a short list, those before them in class tables. No parameter
// to set: a list wins up to about a dozen entries when it is in the cache, the tables from there on
// at any depth and mix of wildcards.
#pragma once

#include "upwash/matching/engines/classes.hpp"
#include "upwash/matching/engines/list.hpp"

namespace upwash::matching {

/// Whatever is in the tables came before all that is in the list, so that a search which finds it
/// there is over. One that does not moves what it passes in the list to the tables, but of few
/// entries: none is passed again and again, and one that is taken soon, or in the order in which
/// they came, is never entered in a table.
class adaptive {
 public:
  explicit adaptive(side which) : newest_(which), before_(which) {}

  [[gnu::always_inline]] void insert(entry& e) {
    if (newest_.size() == most_in_list) [[unlikely]]
      move_all();
    e.near.place = in_list;
    newest_.insert(e);
  }

  [[nodiscard]] entry* find(const envelope& wanted, costs& spent) {
    if (before_.size() == 0) {
      entry* e = newest_.first();
      for (std::size_t passed = 0; e != nullptr; e = e->near.next) {
        ++spent.traversals;
        if (fit(e->what, wanted)) return e;
        if (++passed == most_passed) return pass(wanted, spent);
      }
      return nullptr;
    }
    entry* e = before_.find(wanted, spent);
    return e != nullptr ? e : pass(wanted, spent);
  }

  [[gnu::always_inline]] entry* take(const envelope& wanted, costs& spent) {
    entry* const first = newest_.first();
    if (before_.size() == 0 && first != nullptr && fit(first->what, wanted)) [[likely]] {
      ++spent.traversals;
      newest_.erase(*first);
      return first;
    }
    return take_later(wanted, spent);
  }

  void erase(entry& e) noexcept { e.near.place == in_list ? newest_.erase(e) : before_.erase(e); }

  template <class Visit>
  void for_each(Visit&& visit) {
    before_.for_each(visit);
    newest_.for_each(visit);
  }

  [[nodiscard]] std::size_t size() const noexcept { return newest_.size() + before_.size(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return newest_.bytes() + before_.bytes(); }

 private:
  [[gnu::noinline]] entry* take_later(const envelope& wanted, costs& spent) {
    if (before_.size() != 0) {
      entry* const e = before_.take(wanted, spent);
      if (e != nullptr) return e;
    }
    entry* const e = before_.size() != 0 ? pass(wanted, spent) : find(wanted, spent);
    if (e != nullptr) newest_.erase(*e);
    return e;
  }

  /// The first of the list that fits; it stays there, and those before it move to the tables.
  [[nodiscard]] entry* pass(const envelope& wanted, costs& spent) {
    while (entry* e = newest_.first()) {
      ++spent.traversals;
      if (fit(e->what, wanted)) return e;
      newest_.erase(*e);
      before_.insert(*e);
    }
    return nullptr;
  }

  [[gnu::noinline]] void move_all() {
    newest_.for_each([this](entry& each) { before_.insert(each); });
    newest_.clear();
  }

  static constexpr std::size_t most_passed = 8;    ///< by a search, while none is in the tables
  static constexpr std::size_t most_in_list = 64;  ///< as many as a search may have to move
  static constexpr std::uint32_t in_list = ~0U;    ///< no place of a table

  list newest_;
  classes before_;
};

}  // namespace upwash::matching
