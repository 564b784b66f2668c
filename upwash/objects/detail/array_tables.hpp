// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The tables of a rank about the objects of an array.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "upwash/objects/detail/array_core.hpp"
#include "upwash/objects/detail/balance_round.hpp"

namespace upwash::objects {

struct array_core::tables {
  std::unordered_map<object_key, std::unique_ptr<element>, hash_of_key> here;
  std::unordered_map<object_key, location, hash_of_key> homes;  ///< of indices with their home here
  std::unordered_map<object_key, location, hash_of_key> known;  ///< of others: left, or known from
                                                                ///< messages
  std::unordered_map<object_key, std::uint64_t, hash_of_key> calls;  ///< made outside methods
  std::unordered_map<object_key, std::uint64_t, hash_of_key> calls_of_sections;
  /// At home: calls for objects that are not inserted yet.
  std::unordered_map<object_key, std::vector<std::unique_ptr<invocation>>, hash_of_key> early;
  std::vector<balance_part> parts;  ///< at member 0, while balancing: of each member
  balance_verdict decided;          ///< while balancing, at each member
};

}  // namespace upwash::objects
