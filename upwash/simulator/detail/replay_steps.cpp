// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What follows a replayed processor's work, and messages that come.
#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"
#include "upwash/schedule/network_step.hpp"
#include "upwash/simulator/detail/replay_walker.hpp"

namespace upwash::simulator::detail {

using schedule::mechanism;
using schedule::step_kind;
using side = early_and_waiting::side;

/// What a send sends first.
parcel replay_walker::outgoing(int rank, step_number n) {
  const open_step& s = all_.rank(rank).at(n);
  parcel p;
  p.from = rank;
  p.to = s.peer;
  p.edge = s.edge;
  p.about = s.bytes;
  p.how = s.how;
  const bool offers = p.how == mechanism::rendezvous || p.how == mechanism::single_copy;
  p.what = offers ? letter::offer : letter::data;
  if (s.acknowledged) p.sender = n;
  return p;
}

/// What a receive has met.
parcel replay_walker::arrived_at(int rank, step_number n) {
  const open_step& s = all_.rank(rank).at(n);
  parcel p;
  p.from = s.peer;
  p.to = rank;
  p.edge = s.edge;
  p.about = s.other_bytes;
  p.how = s.how;
  const bool offers = p.how == mechanism::rendezvous || p.how == mechanism::single_copy;
  p.what = offers ? letter::offer : letter::data;
  p.sender = s.came_from;
  return p;
}

void replay_walker::effect(int rank, const task& what) {
  switch (what.what) {
    case job::begin: return effect_of_begin(rank, what.step);
    case job::take: return effect_of_take(arrived_at(rank, what.step), rank, what.step);
    case job::got: {
      const parcel p = near_->parcels.take(what.parcel);
      if (p.sender != no_step) acknowledge(p);
      return done(rank, what.step);
    }
    case job::told:
    case job::seen: return done(rank, what.step);
    case job::invited: {
      const parcel p = outgoing(rank, what.step);
      ++totals_.messages;
      send(p);
      if (p.sender == no_step || p.how == mechanism::signalling_put) done(rank, what.step);
      return;
    }
    case job::count: return count_up(rank, near_->parcels.take(what.parcel).edge);
    case job::gather: return effect_of_gather(near_->parcels.take(what.parcel));
  }
}

void replay_walker::effect_of_begin(int rank, step_number n) {
  const open_step& s = all_.rank(rank).at(n);
  switch (s.kind) {
    case step_kind::send: return send_edge(rank, n);
    case step_kind::receive: return invite(rank, n);
    case step_kind::copy:
    case step_kind::reduce: return work(rank, n);
    case step_kind::collect: return collect(rank, s.edge), done(rank, n);
    case step_kind::close: return close(rank, n);
    case step_kind::stage:
    case step_kind::deliver: return done(rank, n);
    case step_kind::signal: return signal(rank, n);
    case step_kind::await: return await(rank, n);
    default: return join(rank, n);
  }
}

void replay_walker::send_edge(int rank, step_number n) {
  if (all_.rank(rank).at(n).invites) return post(rank, n);
  const parcel p = outgoing(rank, n);
  ++totals_.messages;
  send(p);
  if (p.sender == no_step) done(rank, n);
}

void replay_walker::invite(int rank, step_number n) {
  const open_step& s = all_.rank(rank).at(n);
  parcel invitation;
  invitation.what = letter::invitation;
  invitation.from = rank;
  invitation.to = s.peer;
  invitation.edge = s.edge;
  send(invitation);
  post(rank, n);
}

void replay_walker::close(int rank, step_number n) {
  const open_step& s = all_.rank(rank).at(n);
  if (!s.closes_known) {
    throw error(error_kind::argument,
                fmt::format("replay: rank {}, step {}: it ends when {} messages have come from "
                            "anybody; replay the schedule that names their senders",
                            rank, n, s.bytes));
  }
  std::erase(all_.rank(rank).counted().collects, s.edge);
  done(rank, n);
}

void replay_walker::signal(int rank, step_number n) {
  const open_step& s = all_.rank(rank).at(n);
  if (s.peer < 0 || s.peer == rank) {
    count_up(rank, s.edge);
  } else {
    parcel p;
    p.what = letter::signal;
    p.from = rank;
    p.to = s.peer;
    p.edge = s.edge;
    send(p);
  }
  done(rank, n);
}

/// A step in the network: the carrier tells when this rank's part is done.
void replay_walker::join(int rank, step_number n) {
  if (all_.options.through == nullptr) {
    throw error(error_kind::configuration,
                fmt::format("replay: rank {}, step {}: the message-level network has no "
                            "collectives of its own",
                            rank, n));
  }
  const open_step& s = all_.rank(rank).at(n);
  parcel p;
  p.what = letter::reply;
  p.from = p.to = rank;
  p.asker = n;
  const network_collective kind = schedule::network_collective_of(s.kind, s.peer);
  const std::uint64_t bytes = std::max(s.other_bytes, s.bytes);
  all_.options.through->join(duration::from_ps(now_), rank, {kind, s.peer, bytes, s.edge, 0},
                             carry(p));
}

void replay_walker::work(int rank, step_number n) {
  const open_step& s = all_.rank(rank).at(n);
  if (!s.fetches && !s.stores) return done(rank, n);
  parcel p;
  p.from = rank;
  p.to = s.peer;
  p.asker = n;
  p.what = s.fetches ? letter::request : letter::stored;
  p.about = s.fetches ? s.other_bytes : s.bytes;
  send(p);
}

void replay_walker::collect(int rank, std::uint32_t edge) {
  replay_rank& r = all_.rank(rank);
  r.counted().collects.push_back(edge);
  for (const std::uint32_t each : r.meets.take_messages(edge)) {
    possible(rank, job::gather, r.base, each);
  }
}

/// What an offer is about, to be sent to step `asker` (none: to a collect).
void replay_walker::request(const parcel& offer, step_number asker) {
  parcel asked = offer;
  asked.what = letter::request;
  std::swap(asked.from, asked.to);
  asked.asker = asker;
  send(asked);
}

void replay_walker::effect_of_take(const parcel& p, int rank, step_number n) {
  if (p.how == mechanism::rendezvous) return request(p, n);
  if (p.sender != no_step) acknowledge(p);
  done(rank, n);
}

void replay_walker::effect_of_gather(const parcel& p) {
  if (p.how == mechanism::rendezvous && p.what == letter::offer) return request(p, no_step);
  if (p.sender != no_step) acknowledge(p);
}

void replay_walker::acknowledge(const parcel& what) {
  parcel back = what;
  back.what = letter::acknowledgement;
  std::swap(back.from, back.to);
  send(back);
}

/// A receive looks for its message, a send for its invitation.
void replay_walker::post(int rank, step_number n) {
  replay_rank& r = all_.rank(rank);
  const std::uint32_t place = r.place_of(n);
  if (const auto which = r.meets.take(r.ring[place].waits_for(), side::message)) {
    return met(rank, n, *which);
  }
  r.post(place);
}

void replay_walker::met(int rank, step_number n, std::uint32_t which) {
  const parcel p = near_->parcels.take(which);
  if (p.what == letter::invitation) return possible(rank, job::invited, n);
  open_step& s = all_.rank(rank).at(n);
  s.other_bytes = p.about;
  s.came_from = p.sender;
  s.how = p.how;
  possible(rank, job::take, n);
}

/// A message is complete at its receiver.
void replay_walker::came(std::uint32_t which) {
  parcel& p = near_->parcels[which];
  switch (p.what) {
    case letter::acknowledgement:
      possible(p.to, job::told, p.sender);
      near_->parcels.take(which);
      return;
    case letter::reply:
      return p.asker == no_step ? possible(p.to, job::gather, all_.rank(p.to).base, which)
                                : possible(p.to, job::got, p.asker, which);
    case letter::stored: {
      parcel back = near_->parcels.take(which);
      back.what = letter::told;
      std::swap(back.from, back.to);
      return deliver(now_ + costs_.of_empty(back.from, back.to).latency.ps(), back);
    }
    case letter::signal: return possible(p.to, job::count, all_.rank(p.to).base, which);
    case letter::request: {
      parcel reply = near_->parcels.take(which);
      reply.what = letter::reply;
      std::swap(reply.from, reply.to);
      return send(reply);
    }
    default: return came_to_meet(which);
  }
}

void replay_walker::came_to_meet(std::uint32_t which) {
  const parcel& p = near_->parcels[which];
  replay_rank& r = all_.rank(p.to);
  const bool invites = p.what == letter::invitation;
  if (!invites && r.collects(p.edge)) return possible(p.to, job::gather, r.base, which);
  const early_and_waiting::key sought{p.from, p.edge, invites};
  if (const auto n = r.meets.take(sought, side::step)) return met(p.to, *n, which);
  while (r.first_posted != 0) {
    const std::uint32_t place = r.take_posted();
    const early_and_waiting::key each = r.ring[place].waits_for();
    const step_number n = r.number_at(place);
    if (each == sought) return met(p.to, n, which);
    r.meets.keep(each, side::step, n);
  }
  r.meets.keep(sought, side::message, which);
}

void replay_walker::count_up(int rank, std::uint32_t which) {
  ++all_.rank(rank).counted().counters[which];
  wake(rank, which);
}

void replay_walker::await(int rank, step_number n) {
  const open_step& s = all_.rank(rank).at(n);
  const int where = s.peer < 0 ? rank : s.peer;
  // Reading a counter of another place has no message to it.
  if (all_.place_of(where) != place_number_) throw window_too_long{0};
  all_.rank(where).counted().awaited[s.edge].emplace_back(rank, n);
  wake(where, s.edge);
}

/// Those for whom the counter is high enough see it, from afar later.
void replay_walker::wake(int rank, std::uint32_t which) {
  counting& here = all_.rank(rank).counted();
  const std::uint64_t value = here.counters[which];
  std::vector<std::pair<int, step_number>> freed;
  std::erase_if(here.awaited[which], [&](const auto& each) {
    const bool enough = value >= all_.rank(each.first).at(each.second).bytes;
    if (enough) freed.push_back(each);
    return enough;
  });
  for (const auto& [who, n] : freed) {
    parcel p;
    p.what = letter::seen;
    p.from = rank;
    p.to = who;
    p.asker = n;
    const duration way = who == rank ? duration() : costs_.of_empty(who, rank).latency;
    deliver(now_ + way.ps(), p);
  }
}

}  // namespace upwash::simulator::detail
