// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Options of an array of objects.
#pragma once

#include <cstdint>
#include <string>

#include "upwash/objects/balance.hpp"
#include "upwash/objects/detail/member_tree.hpp"

namespace upwash {

/// Priority of calls that run only if the object's rank is idle: no other calls wait, and no
/// messages have arrived since the last of them.
inline constexpr int when_idle = INT16_MAX;

/// Options of an array; the same at all members.
struct object_options {
  std::string name = "objects";  ///< in errors and reports
  /// Calls of one caller (an object of the array, or a rank) to one object run in the order in
  /// which they were made, even if objects migrate. Without this option, calls of equal priority
  /// keep their order while the object stays.
  bool ordered = false;
  balancing::measure measure = balancing::measure::nothing;  ///< for `balance`
  tree_of_members broadcasts = tree_of_members::binomial;    ///< the tree that broadcasts use
};

}  // namespace upwash
