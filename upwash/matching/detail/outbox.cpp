// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages that found no credit. They wait at their sender, so that a send never does: in one queue
// for each peer, whose order all later messages to it keep. Nothing is copied: a queued send holds
// a pooled node, and its request stays incomplete until the message went.
#include <algorithm>

#include "upwash/base/ensure.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/core/host.hpp"
#include "upwash/matching/detail/handlers.hpp"

namespace upwash::matching::detail {

void messenger::queue(sending& s, balance& other, const label& with) {
  s.queued = true;
  s.with = with;
  s.next_queued = nullptr;
  ++memory_.queued;
  if (other.queued == nullptr) {
    other.queued = &s;
    to_send_.push_back(s.rank);
  } else {
    other.last_queued->next_queued = &s;
  }
  other.last_queued = &s;
  host(here_).set_busy(*this, true);
}

bool messenger::inject_offer(sending& s, const label& with) {
  const auto memory = std::as_bytes(std::span(&s.memory, 1));
  return try_send_medium<&handle_offer>(here_, s.rank, memory, with).what == conduit::outcome::done;
}

/// Whether it went. What is not acknowledged is then over.
bool messenger::inject(sending& s) {
  if (!s.whole) return inject_offer(s, s.with);
  return try_send_medium<&handle_eager>(here_, s.rank, s.bytes, s.with).what ==
         conduit::outcome::done;
}

int messenger::send_queued(balance& other) {
  int sent = 0;
  while (sending* s = other.queued) {
    if (!inject(*s)) break;
    other.queued = s->next_queued;
    s->queued = false;
    ensure(memory_.queued != 0, "what leaves the queue was in it");
    --memory_.queued;
    ++sent;
    if (s->acknowledged) continue;
    end_send(*s);
  }
  return sent;
}

int messenger::send_queued() {
  int sent = 0;
  for (const int rank : to_send_) sent += send_queued(balances_.with(rank));
  std::erase_if(to_send_, [this](int rank) { return balances_.with(rank).queued == nullptr; });
  return sent;
}

}  // namespace upwash::matching::detail
