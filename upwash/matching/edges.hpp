// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Edges of collectives as messages (mechanism `matched`): in contexts of their own, which no user's
// receive sees, wild or not. For the layer that runs collectives; runtime joins the two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "upwash/core/team.hpp"
#include "upwash/matching/engines/envelope.hpp"

namespace upwash::matching {

/// Names an edge between two members: edges of the same tag are received in the order in which they
/// were sent. `kind`: collective_kind, never 0.
struct edge {
  std::int32_t tag = 0;
  std::uint32_t kind = 0;
};

/// Value of `told` until the edge is over.
inline constexpr std::uint64_t edge_under_way = ~std::uint64_t{0};

/// Sends bytes to a member; they must stay until `told` is 0. It is told by the rank's own thread,
/// in a handler too, or at once; it must stay meanwhile. `acknowledged`: over when it is received.
/// Not from handlers; may wait for credit.
void send_edge(const team& to, int member, const edge& what, std::span<const std::byte> bytes,
               bool acknowledged, std::uint64_t& told);

/// Receives into `into`. `told` becomes the message's length; a longer one than `into` is dropped.
void receive_edge(const team& from, int member, const edge& what, std::span<std::byte> into,
                  std::uint64_t& told);

}  // namespace upwash::matching
