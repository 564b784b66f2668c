// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Mutexes of the ranks of a group, of each its own number.
#pragma once

#include <string_view>
#include <vector>

#include "upwash/core/team.hpp"
#include "upwash/onesided/locks.hpp"

namespace upwash::armci {

/// Memory: that of locks, as many at each rank as at the one with most, and 4 bytes a rank.
class mutex_set {
 public:
  /// Collective over `members`, blocking. Throws `refusal` at all of them where one gives a number
  /// below 0.
  mutex_set(const team& members, int own);

  /// As those of lock_set; `proc` is a rank of the world. Throws `refusal`.
  void lock(int mutex, int proc);
  [[nodiscard]] bool try_lock(int mutex, int proc);
  void unlock(int mutex, int proc);
  /// Collective. Throws `refusal` at all members where one holds any.
  void release();

  [[nodiscard]] const team& members() const noexcept { return members_; }

 private:
  [[nodiscard]] int owner(int mutex, int proc) const;
  [[nodiscard]] int owner_of_free(int mutex, int proc) const;
  void reach_all();

  team members_;
  std::vector<int> counts_;  ///< by member
  lock_set locks_;
  int held_ = 0;
};

}  // namespace upwash::armci
