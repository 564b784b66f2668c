// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The default: a short list while there are few entries, class tables while there are many. No
// parameter to set: a list wins up to about a dozen entries when it is in the cache, the tables
// from there on at any depth and mix of wildcards.
#pragma once

#include "upwash/matching/engines/classes.hpp"
#include "upwash/matching/engines/list.hpp"

namespace upwash::matching {

class adaptive {
 public:
  explicit adaptive(side which) : few_(which), many_(which) {}

  [[gnu::flatten]] void insert(entry& e) {
    if (many_.size() == 0) {
      if (few_.size() < most_in_list) return few_.insert(e);
      move_to_tables();
    }
    many_.insert(e);
  }

  [[nodiscard]] entry* find(const envelope& wanted, costs& spent) {
    return many_.size() == 0 ? few_.find(wanted, spent) : many_.find(wanted, spent);
  }

  entry* take(const envelope& wanted, costs& spent) {
    return many_.size() == 0 ? few_.take(wanted, spent) : many_.take(wanted, spent);
  }

  void erase(entry& e) noexcept { many_.size() == 0 ? few_.erase(e) : many_.erase(e); }

  template <class Visit>
  void for_each(Visit&& visit) {
    many_.size() == 0 ? few_.for_each(visit) : many_.for_each(visit);
  }

  [[nodiscard]] std::size_t size() const noexcept { return few_.size() + many_.size(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return few_.bytes() + many_.bytes(); }

 private:
  [[gnu::noinline]] void move_to_tables() {
    few_.for_each([this](entry& each) { many_.insert(each); });
    few_.clear();
  }

  static constexpr std::size_t most_in_list = 8;

  list few_;      ///< all entries, or none
  classes many_;  ///< the same
};

}  // namespace upwash::matching
