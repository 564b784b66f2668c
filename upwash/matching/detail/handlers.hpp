// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The messages of messages: what travels between messengers.
#pragma once

#include "upwash/core/active_message.hpp"
#include "upwash/matching/detail/messenger.hpp"

namespace upwash::matching::detail {

void handle_offer(incoming& in, label with);  ///< the payload says where to fetch it
void handle_received(incoming& in, std::uint64_t sender);
void handle_room(incoming& in, std::uint64_t bytes);
void handle_taken(incoming& in, std::uint64_t sender);
void handle_question(incoming& in, question what);
void handle_answer(incoming& in, label with, std::uint64_t number);  ///< payload as an offer's

[[gnu::always_inline]] inline void messenger::eager_came(int sender_rank, const label& with,
                                                         std::span<const std::byte> payload) {
  if (is_late(with)) [[unlikely]]
    return drop_late(sender_rank, with, payload.size(), true);
  const envelope what = envelope_of(with);
  record_arrival(sender_rank, what, payload.size());
  auto* p = posted_->size() == 0 ? nullptr : static_cast<posted*>(take(*posted_, what));
  if (p == nullptr) return keep_eager(sender_rank, with, what.context, payload);
  deliver(*p, with.member, with.tag, with.type, payload);
  return_room(sender_rank, payload.size());
  if (with.sender != 0) tell_sender(sender_rank, with.sender);
}

/// The payload is the message.
[[gnu::always_inline]] inline void handle_eager(incoming& in, label with) {
  in.here().service<messenger>().eager_came(in.source(), with, in.payload());
}

}  // namespace upwash::matching::detail

namespace upwash::detail {

/// Made in arrivals.cpp alone: all that a short message does is one function.
extern template struct am_pack<&matching::detail::handle_eager>;

}  // namespace upwash::detail
