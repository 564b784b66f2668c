// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The messages of messages: what travels between messengers.
#pragma once

#include "upwash/core/active_message.hpp"
#include "upwash/matching/detail/messenger.hpp"

namespace upwash::matching::detail {

void handle_eager(incoming& in, label with);  ///< the payload is the message
void handle_offer(incoming& in, label with);  ///< the payload says where to fetch it
void handle_received(incoming& in, std::uint64_t sender);
void handle_room(incoming& in, std::uint64_t bytes);
void handle_taken(incoming& in, std::uint64_t sender);
void handle_question(incoming& in, question what);
void handle_answer(incoming& in, label with, std::uint64_t number);  ///< payload as an offer's

}  // namespace upwash::matching::detail

namespace upwash::detail {

/// Made in arrivals.cpp, where what it calls is no call.
extern template struct am_pack<&matching::detail::handle_eager>;

}  // namespace upwash::detail
