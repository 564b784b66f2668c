// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Edges of collectives as messages (mechanism `matched`). They use their own contexts, which no
// receive of a user sees, with or without wildcards. For the layer that runs collectives; the
// runtime joins the two layers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "upwash/core/team.hpp"
#include "upwash/matching/engines/envelope.hpp"

namespace upwash::matching {

/// Names an edge between two members. Edges of the same tag are received in the order in which they
/// were sent. `kind`: collective_kind, never 0.
struct edge {
  std::int32_t tag = 0;
  std::uint32_t kind = 0;
};

/// The value of `told` until the edge is over.
inline constexpr std::uint64_t edge_under_way = ~std::uint64_t{0};

/// Sends bytes to a member. `bytes` and `told` must stay valid until `told` is 0. The rank's own
/// thread sets `told`, at once or later, also in a handler. `acknowledged`: the edge is over when
/// it is received. May wait for credit. Not from handlers.
void send_edge(const team& to, int member, const edge& what, std::span<const std::byte> bytes,
               bool acknowledged, std::uint64_t& told);

/// Receives an edge into `into` and sets `told` to the message's length. A message longer than
/// `into` is dropped.
void receive_edge(const team& from, int member, const edge& what, std::span<std::byte> into,
                  std::uint64_t& told);

}  // namespace upwash::matching
