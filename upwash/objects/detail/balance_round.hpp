// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The messages of a balancing between the members and member 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "upwash/core/incoming.hpp"
#include "upwash/objects/balance.hpp"
#include "upwash/objects/detail/measurements.hpp"

namespace upwash::objects {

/// A member and its objects.
struct balance_part {
  struct one {
    object_key key;
    duration time;
  };
  struct called {
    std::uint64_t from = 0;  ///< position among the objects
    calls_made::row row;
  };

  balancing::share mine;
  bool stays = false;  ///< for objects of groups
  std::vector<one> objects;
  std::vector<called> calls;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(mine, stays, objects, calls);
  }
};

struct balance_verdict {
  std::string refused;  ///< empty: the balancing is done
  balancing::result said;
  std::vector<std::pair<object_key, std::int32_t>> moves;  ///< of this member's objects

  template <class Archive>
  void serialize(Archive& archive) {
    archive(said, moves, refused);
  }
};

}  // namespace upwash::objects
