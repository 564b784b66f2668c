// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The executor's messages. `run` and `edge` as operation::run and wire_edge say; `sender` and
// `asker` name a slot at the rank that hears back.
#pragma once

#include <cstdint>

#include "upwash/core/incoming.hpp"

namespace upwash::collective::detail {

/// Payload: header and data. `sender` not 0: it wants to hear that they are here.
void handle_eager(incoming& in, std::uint64_t team, std::uint64_t run, std::uint64_t edge,
                  std::uint64_t sender);
/// Payload: an `offer`.
void handle_offer(incoming& in, std::uint64_t team, std::uint64_t run, std::uint64_t edge);
/// The data of an offer, or an eager message, has been taken.
void handle_taken(incoming& in, std::uint64_t sender);
/// From the receiver of an edge: its sender may put.
void handle_place_free(incoming& in, std::uint64_t team, std::uint64_t run, std::uint64_t edge);
/// Behind a put.
void handle_landed(incoming& in, std::uint64_t team, std::uint64_t run, std::uint64_t edge);
/// One more for a counter.
void handle_count(incoming& in, std::uint64_t team, std::uint64_t run, std::uint32_t counter);
/// Somebody wants to hear when a counter has reached a value; and hears it.
void handle_watch(incoming& in, std::uint64_t team, std::uint64_t run, std::uint32_t counter,
                  std::uint64_t value, std::uint64_t asker);
void handle_reached(incoming& in, std::uint64_t asker);
/// Somebody wants to read a buffer; and hears where it is (payload: an `exposed_memory`).
void handle_where(incoming& in, std::uint64_t team, std::uint64_t run, std::uint32_t buffer,
                  std::uint64_t asker);
void handle_here(incoming& in, std::uint64_t asker);
/// Payload: an `agreement` to compare.
void handle_agreement(incoming& in);

}  // namespace upwash::collective::detail
