// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Many-to-many with separate messages.
#pragma once

#include <cstdint>

#include "upwash/collective/algorithms/detail/given_messages.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

enum class senders : std::uint8_t {
  unknown,
  known,
  checked,  ///< known, verified with the protocol for unknown senders, so that a wrong number is
            ///< detected
};

/// Problem: messages, or one block, for some ranks. Idea: a rank accepts all arriving messages,
/// sends its own, and ends when the known number has arrived. If the number is unknown, it enters a
/// barrier when all its messages are acknowledged; after it no message arrives. Cost: the messages;
/// unknown: their acknowledgements, and ceil(log2 P) empty messages. Restrictions: none. Source:
/// Kumar 2005, equations 3.20 and 3.24; unknown: Hoefler, Siebert and Lumsdaine 2010 (NBX).
///
/// Takes the arrays of detail::given_messages; given(3): a word for each incoming message, unless
/// that number is unknown. Incoming messages are handed to the caller as edge 0. In a run: throws
/// `error` (argument) for a destination outside the team or arrays of unequal length.
[[nodiscard]] schedule::generator sparse_exchange(
    int ranks, int rank, senders who = senders::unknown,
    detail::to_each what = detail::to_each::message_of_its_own);

/// Problem: rank i sends m bytes to each of i+1 .. i+degree (modulo P), as a benchmark of uniform
/// many-to-many does. Used to price a sparse exchange. Idea: all messages at once; if receivers
/// must not know, acknowledged, and a barrier afterwards. Cost: degree messages of m bytes;
/// acknowledged: an answer each, and ceil(log2 P) messages more. Restrictions: a degree below P.
/// Source: Kumar 2005, 3.3.1, equations 3.20, 3.24. Input: a block for each destination in turn;
/// output: one of each source.
[[nodiscard]] schedule::generator neighbor_send(int ranks, int rank, int degree,
                                                std::uint64_t bytes, bool acknowledged);

}  // namespace upwash::collective
