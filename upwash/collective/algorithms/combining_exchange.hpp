// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: messages, or one block, for some ranks; nobody knows who has something for it. Idea: in
// each phase the ranks of a line (of a grid, of a cube's edge) send each other one message, be it
// empty, of items that say where they come from and go to. Cost: a message a member of each line; a
// byte at most once a phase, a block once a hop; 16 bytes an item. Restrictions: none. Source:
// Kumar 2005, 3.3.1, equations 3.17 to 3.19 and 3.21 to 3.23.
#pragma once

#include <cstdint>

#include "upwash/collective/algorithms/detail/given_messages.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

struct combining_parameters {
  detail::to_each what = detail::to_each::message_of_its_own;
  /// Of data; and of items as many as have 64 bytes each. A message beyond sends its items behind,
  /// once the receiver has made room.
  std::uint32_t inline_bytes = 4096;
};

/// Both take the arrays of detail::given_messages, and hand each item over at its destination, as a
/// message from its origin, in the last phase. Scratch: what comes in all phases, and the most that
/// goes out in one. Their steps throw `error` (argument) as given_messages does, and where nobody
/// lets the slots grow.
[[nodiscard]] schedule::generator mesh_many_to_many(int ranks, int rank, int dimensions,
                                                    combining_parameters chosen);
[[nodiscard]] schedule::generator hypercube_many_to_many(int ranks, int rank,
                                                         combining_parameters chosen);

}  // namespace upwash::collective
