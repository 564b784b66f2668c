// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: messages, or one block, for some ranks; no rank knows its senders. Idea: in each phase
// the ranks of a line (of a grid, or of a cube's edge) send each other one message, possibly empty.
// It has items with origin and destination. Cost: a message for each member of each line; a byte at
// most once a phase, a block once a hop; 16 bytes an item. Restrictions: none. Source: Kumar 2005,
// 3.3.1, equations 3.17 to 3.19 and 3.21 to 3.23.
#pragma once

#include <cstdint>

#include "upwash/collective/algorithms/detail/given_messages.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

struct combining_parameters {
  detail::to_each what = detail::to_each::message_of_its_own;
  /// Limit of data in a message, and of items (each counts 64 bytes). A longer message sends its
  /// items afterwards, when the receiver has made room.
  std::uint32_t inline_bytes = 4096;
};

/// Both take the arrays of detail::given_messages. Each item is handed over at its destination in
/// the last phase, as a message from its origin. Scratch: the received data of all phases, and the
/// largest sent data of one phase. Their steps throw `error` (argument) as given_messages does, and
/// if the slots cannot grow.
[[nodiscard]] schedule::generator mesh_many_to_many(int ranks, int rank, int dimensions,
                                                    combining_parameters chosen);
[[nodiscard]] schedule::generator hypercube_many_to_many(int ranks, int rank,
                                                         combining_parameters chosen);

}  // namespace upwash::collective
