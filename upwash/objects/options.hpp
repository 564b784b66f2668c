// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What an array of objects is told when it is made.
#pragma once

#include <cstdint>
#include <string>

#include "upwash/objects/balance.hpp"
#include "upwash/objects/detail/member_tree.hpp"

namespace upwash {

/// Priority of calls that run where their object's rank has nothing else to do: no other calls that
/// wait, and no messages that came since the last of them.
inline constexpr int when_idle = INT16_MAX;

/// The same at all members.
struct object_options {
  std::string name = "objects";  ///< in errors and reports
  /// Calls of one caller (an object of the array, or a rank) to one object run in the order in
  /// which they were made, whatever migrates. Else those of equal priority do while the object
  /// stays.
  bool ordered = false;
  balancing::measure measure = balancing::measure::nothing;  ///< for `balance`
  tree_of_members broadcasts = tree_of_members::binomial;    ///< go down such a tree
};

}  // namespace upwash
