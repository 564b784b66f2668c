// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A member's tables of the strategies that an array is bound to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "upwash/objects/detail/delegations.hpp"

namespace upwash::objects {

struct delegations::deposit {
  std::int32_t priority = 0;
  std::vector<std::int32_t> members;
  std::vector<std::byte> message;
};

struct delegations::instance {
  struct bracket {
    std::vector<deposit> calls;
    std::map<std::uint64_t, std::uint32_t> put_aside;  ///< pieces, by called array
    bool ended = false;
    std::uint64_t expected = 0;
  };
  struct pattern {
    std::uint64_t brackets = 0;
    std::uint64_t degree = 0;  ///< over all brackets
    std::uint64_t bytes = 0;
  };

  std::unique_ptr<strategy> by;
  call_places to = call_places::at_fence;
  std::map<std::uint64_t, bracket> open;        ///< by number
  std::map<std::int32_t, std::uint64_t> wakes;  ///< members without objects, from a bracket on
  std::set<std::uint64_t> woken;                ///< brackets in which this member has no objects
  std::uint64_t done = 0;                       ///< brackets of this member
  std::uint64_t ready = 0;                      ///< brackets for the strategy
  std::vector<deposit> handed;
  /// Places of called objects of arrays, if they are not at their home.
  std::map<std::uint64_t, std::unordered_map<object_key, std::int32_t, hash_of_key>> places;
  pattern seen;
  std::uint64_t made = 0;  ///< calls of this array by the strategy since the last fence
  std::uint64_t came = 0;
  std::set<std::int32_t> called;
};

struct delegations::state {
  std::map<std::uint64_t, instance> all;
};

}  // namespace upwash::objects
