// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages, as they come: they find their receive, or are kept for it.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "upwash/base/ensure.hpp"
#include "upwash/base/error.hpp"
#include "upwash/core/active_message.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/memory_access.hpp"
#include "upwash/matching/detail/handlers.hpp"

namespace upwash::matching::detail {
namespace {

messenger& messenger_of(const incoming& in) { return in.here().service<messenger>(); }

}  // namespace

void handle_offer(incoming& in, label with) {
  exposed_memory from;
  std::memcpy(&from, in.payload().data(), sizeof from);
  messenger_of(in).offer_came(in.source(), with, from);
}

void handle_received(incoming& in, std::uint64_t sender) {
  messenger_of(in).was_received(in.source(), sender);
}

void handle_room(incoming& in, std::uint64_t bytes) {
  messenger_of(in).room_came(in.source(), bytes);
}

void handle_taken(incoming& in, std::uint64_t sender) {
  messenger_of(in).was_taken(in.source(), sender);
}

void handle_question(incoming& in, question what) { messenger_of(in).asked(in.source(), what); }

void handle_answer(incoming& in, label with, std::uint64_t number) {
  exposed_memory from;
  std::memcpy(&from, in.payload().data(), sizeof from);
  messenger_of(in).answered(in.source(), static_cast<std::uint32_t>(number), with, from);
}

inline void messenger::keep(unexpected_message& a) {
  if (a.what.kind != 0) [[unlikely]]
    contexts_.note_kept(a.what.context, a.what.kind);
  unexpected_->insert(a);
  memory_.most_kept = std::max(memory_.most_kept, unexpected_->size());
  if (a.eager) memory_.kept_bytes += a.size;
  memory_.most_kept_bytes = std::max(memory_.most_kept_bytes, memory_.kept_bytes);
  probes_.came(a.what);
}

/// What the envelope says is taken from the label: passed as a whole it would be loaded from where
/// it was just stored in pieces.
void messenger::keep_eager(int sender_rank, const label& with, std::uint32_t context,
                           std::span<const std::byte> payload) {
  if (with.ready != 0) [[unlikely]]
    check_ready(with, context, payload.size());
  unexpected_message& a = *arrivals_.take();
  a.what = {context, with.member, with.tag, with.kind};
  if (payload.size() <= unexpected_message::most_inside) [[likely]] {
    copy_short(a.inside, payload.data(), payload.size());
  } else {
    a.bytes.assign(payload.begin(), payload.end());
  }
  a.size = payload.size();
  a.sender = with.sender;
  a.sender_rank = sender_rank;
  a.type = with.type;
  a.eager = true;
  keep(a);
}

/// A message in ready mode found no receive that is posted; one that still asks senders is begun.
void messenger::check_ready(const label& with, std::uint32_t context, std::size_t bytes) const {
  if (with.ready == 0 || !here_.options().checked) return;
  if (listed_.goes_to_earlier({context, with.member, with.tag, with.kind})) return;
  throw error(error_kind::fault,
              fmt::format("rank {}: a ready message of {} bytes with tag {} from member {} found "
                          "no receive posted; post it first, or send in standard mode",
                          here_.rank(), bytes, with.tag, with.member));
}

void messenger::offer_came(int sender_rank, const label& with, const exposed_memory& from) {
  if (with.listed == 0 && is_late(with)) [[unlikely]]
    return drop_late(sender_rank, with, from.bytes, false);
  const envelope what = envelope_of(with);
  record_arrival(sender_rank, what, from.bytes);
  auto* p = static_cast<posted*>(take(*posted_, what));
  if (p == nullptr) check_ready(with, what.context, from.bytes);
  if (p == nullptr && with.listed != 0) return note_listed(sender_rank, what);
  unexpected_message& a = arrival_of(sender_rank, with, from);
  if (p == nullptr) return keep(a);
  if (with.listed != 0) {
    listed_.met(sender_rank, with.sender);
    tell<&handle_taken>(sender_rank, with.sender);
  }
  consume(*p, a);
}

/// An offer, as an entry of the unexpected store.
unexpected_message& messenger::arrival_of(int sender_rank, const label& with,
                                          const exposed_memory& from) {
  unexpected_message& a = *arrivals_.take();
  a.what = envelope_of(with);
  a.from = from;
  a.size = from.bytes;
  a.sender = with.sender;
  a.sender_rank = sender_rank;
  a.type = with.type;
  a.eager = false;
  return a;
}

/// A message that was kept, or offered, and its receive.
void messenger::consume(posted& p, unexpected_message& a) {
  if (a.eager) [[likely]] {
    deliver(p, a.what.source, a.what.tag, a.type, a.payload());
    return drop_eager(a);
  }
  p.got = {a.what.source, a.what.tag, a.size, false};
  if (refuses(p, a.size, a.type) || a.size == 0) {
    complete(p);
    return drop(a);
  }
  p.now = posted::state::matched;
  p.sender = a.sender;
  p.sender_rank = a.sender_rank;
  p.from = a.from;
  arrivals_.give_back(&a);
  fetch(p);
}

void messenger::tell_end_of(posted& p) {
  if (p.end) std::exchange(p.end, {}).complete();
  if (p.edge == nullptr) return;
  *p.edge = p.got.bytes;
  give_back(p);
}

/// Gets are begun outside handlers only: a handler leaves it to the next progress.
void messenger::fetch(posted& p) {
  if (here_.in_handler()) {
    to_fetch_.push_back(&p);
    host(here_).set_busy(*this, true);
    return;
  }
  get(here_, p.from, 0, p.into.first(p.got.bytes), notice::call(&messenger::fetched, &p));
}

void messenger::fetched(void* context) {
  posted& p = *static_cast<posted*>(context);
  p.owner->tell_sender(p.sender_rank, p.sender);
  p.owner->complete(p);
}

int messenger::progress() {
  const auto now = std::exchange(to_fetch_, {});
  for (posted* p : now) fetch(*p);
  const int sent = send_queued();
  host(here_).set_busy(*this, !to_fetch_.empty() || !to_send_.empty());
  return static_cast<int>(now.size()) + sent;
}

sending& messenger::named_by(int receiver, std::uint64_t name, const char* what) const {
  sending* s = names_.find(name);
  if (s != nullptr && s->rank == receiver) return *s;
  throw error(
      error_kind::fault,
      fmt::format(
          "rank {}: rank {} says that message {:#x} was {}, which {}; its memory or "
          "its messages are damaged",
          here_.rank(), receiver, name, what,
          s == nullptr ? "is not under way here" : fmt::format("goes to rank {}", s->rank)));
}

void messenger::was_received(int receiver, std::uint64_t sender) {
  sending& s = named_by(receiver, sender, "received");
  if (s.memory.rank >= 0) conceal(here_, s.memory);
  if (s.offered) {
    balance& other = balances_.with(s.rank);
    ensure(other.offered != 0, "envelopes that come back were sent");
    --other.offered;
  }
  end_send(s);
}

/// Its name, and its place in the pool, are for others from now on.
void messenger::end_send(sending& s) {
  if (s.name != 0) names_.leave(s.name);
  completer end = std::exchange(s.end, {});
  if (s.edge != nullptr) *s.edge = 0;
  sends_.give_back(&s);
  if (end) end.complete();
}

void messenger::room_came(int peer, std::uint64_t bytes) {
  balance& other = balances_.with(peer);
  if (bytes > other.outstanding) {
    throw error(
        error_kind::fault,
        fmt::format("rank {}: rank {} gives back room for {} bytes, where it has {} of this "
                    "rank's; its memory or its messages are damaged",
                    here_.rank(), peer, bytes, other.outstanding));
  }
  other.outstanding -= bytes;
}

void messenger::tell_room(int peer_rank, balance& other) {
  tell<&handle_room>(peer_rank, std::exchange(other.received, 0));
}

void messenger::tell_sender(int sender_rank, std::uint64_t sender) {
  tell<&handle_received>(sender_rank, sender);
}

}  // namespace upwash::matching::detail

namespace upwash::detail {

template struct am_pack<&matching::detail::handle_eager>;

}  // namespace upwash::detail
