// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a replayed processor's work costs, and what follows it.
#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"
#include "upwash/simulator/detail/replay_run.hpp"

namespace upwash::simulator::detail {

using schedule::mechanism;
using schedule::step;
using schedule::step_kind;

duration replay_run::copying(std::uint64_t bytes) const {
  const machine& on = network_.on();
  const bool is_free = options_.free_where_absent && !on.processor.copy_ns_per_byte;
  return bytes == 0 || is_free ? duration() : model::copy_time(on, bytes);
}

duration replay_run::reducing(std::uint64_t bytes) const {
  const auto& cost = network_.on().processor.reduce_ns_per_byte;
  if (bytes == 0 || (options_.free_where_absent && !cost)) return {};
  return model::bytes_time(bytes, needed(network_.on(), cost, "processor.reduce", "reducing"));
}

bool replay_run::is_remote(int rank, const schedule::piece& p) const {
  return p.of != schedule::buffer::none && p.owner != schedule::own && p.owner != rank &&
         !rules_.direct;
}

/// The first operand that must be fetched.
const schedule::piece* replay_run::remote_operand(int rank, const step& what) const {
  if (is_remote(rank, what.left)) return &what.left;
  return is_remote(rank, what.right) ? &what.right : nullptr;
}

/// What a send sends first; of a receive, what comes.
parcel replay_run::outgoing(int rank, std::int64_t n) const {
  const replay_rank& r = ranks_[static_cast<std::size_t>(rank)];
  const step& s = r.open[static_cast<std::size_t>(n - r.base)].what;
  parcel p;
  p.from = rank;
  p.to = s.peer;
  p.edge = s.edge;
  p.about = (s.kind == step_kind::send ? s.left.bytes : s.into.bytes) + 8ULL * s.header.count;
  const schedule::wire way = lower(p.about, s.placed, s.acknowledged, rules_);
  p.how = way.how;
  const bool offers = p.how == mechanism::rendezvous || p.how == mechanism::single_copy;
  p.what = offers ? letter::offer : letter::data;
  p.bytes = offers ? 0 : p.about;
  if (way.all().back().backwards) p.sender = n;
  return p;
}

/// Of a message that belongs to no step.
duration replay_run::cost_of_message(const task& what) {
  const parcel& p = what.with;
  const model::message_cost small = message(p.from, p.to, 0);
  if (what.what == job::count) return small.receive_overhead;
  return p.what == letter::reply ? small.send_overhead : cost_of_take(p);
}

duration replay_run::cost_of_take(const parcel& p) {
  const model::message_cost small = message(p.from, p.to, 0);
  const duration answer = p.sender >= 0 ? small.send_overhead : duration();
  switch (p.how) {
    case mechanism::rendezvous: return small.receive_overhead + small.send_overhead;
    case mechanism::signalling_put: return small.receive_overhead;
    case mechanism::single_copy: return small.receive_overhead + copying(p.about) + answer;
    default: break;
  }
  const bool copies = network_.on().processor.copy_ns_per_byte.has_value();
  return message(p.from, p.to, p.bytes).receive_overhead +
         (copies ? copying(p.bytes) : duration()) + answer;
}

duration replay_run::cost_of_work(int rank, const step& what) {
  if (const schedule::piece* from = remote_operand(rank, what)) {
    return message(rank, from->owner, 0).send_overhead;
  }
  const std::uint64_t bytes = what.into.bytes;
  const duration combining = what.kind == step_kind::reduce ? reducing(bytes) : duration();
  if (is_remote(rank, what.into)) {
    return combining + message(rank, what.into.owner, bytes).send_overhead;
  }
  return what.kind == step_kind::copy ? copying(bytes) : combining;
}

duration replay_run::cost_of(int rank, const task& what) {
  if (what.what == job::count || what.what == job::gather) return cost_of_message(what);
  const open_step& s = at(rank).at(what.step);
  const step_kind kind = s.what.kind;
  const bool to_peer = s.what.peer >= 0 && s.what.peer != rank;
  const model::message_cost small = to_peer ? message(rank, s.what.peer, 0) : model::message_cost();
  const auto sending = [&] {
    const parcel p = outgoing(rank, what.step);
    return message(p.from, p.to, p.bytes).send_overhead;
  };
  switch (what.what) {
    case job::told: return kind == step_kind::send ? small.receive_overhead : duration();
    case job::invited: return small.receive_overhead + sending();
    case job::seen: return to_peer ? small.send_overhead + small.receive_overhead : duration();
    case job::got:
      if (kind == step_kind::receive) return small.send_overhead;
      if (s.what.in_network()) return overheads_in_network(rank).receive_overhead;
      return kind == step_kind::reduce ? reducing(s.what.into.bytes) : duration();
    case job::take: return cost_of_take(s.came);
    default: break;
  }
  switch (kind) {
    case step_kind::send: {
      const std::uint64_t bytes = outgoing(rank, what.step).about;
      const bool waits = lower(bytes, s.what.placed, s.what.acknowledged, rules_).asks_first();
      return waits ? duration() : sending();
    }
    case step_kind::receive:  // the invitation
    case step_kind::signal: return small.send_overhead;
    case step_kind::net_multicast:
    case step_kind::net_reduce:
    case step_kind::net_barrier: return overheads_in_network(rank).send_overhead;
    case step_kind::copy:
    case step_kind::reduce: return cost_of_work(rank, s.what);
    default: return {};
  }
}

/// As for a message to a rank far away.
model::message_cost replay_run::overheads_in_network(int rank) {
  const int ranks = static_cast<int>(ranks_.size());
  return ranks == 1 ? model::message_cost() : message(rank, (rank + ranks / 2) % ranks, 0);
}

void replay_run::effect(int rank, const task& what) {
  switch (what.what) {
    case job::begin: return effect_of_begin(rank, what.step);
    case job::take: return effect_of_take(rank, what.step);
    case job::got: return effect_of_got(rank, what);
    case job::told:
    case job::seen: return done(rank, what.step);
    case job::invited: {
      const parcel p = outgoing(rank, what.step);
      send(p);
      if (p.sender < 0 || p.how == mechanism::signalling_put) done(rank, what.step);
      return;
    }
    case job::count: return count_up(rank, what.with.edge);
    case job::gather: return effect_of_gather(what.with);
  }
}

void replay_run::effect_of_begin(int rank, std::int64_t n) {
  replay_rank& r = at(rank);
  const step what = r.at(n).what;
  switch (what.kind) {
    case step_kind::send: {
      const parcel p = outgoing(rank, n);
      if (lower(p.about, what.placed, what.acknowledged, rules_).asks_first()) return post(rank, n);
      send(p);
      if (p.sender < 0) done(rank, n);
      return;
    }
    case step_kind::receive: {
      parcel invitation;
      invitation.what = letter::invitation;
      invitation.from = rank;
      invitation.to = what.peer;
      invitation.edge = what.edge;
      send(invitation);
      return post(rank, n);
    }
    case step_kind::copy:
    case step_kind::reduce: return work(rank, n);
    case step_kind::collect: return collect(rank, what.edge), done(rank, n);
    case step_kind::close:
      if (what.counted && !what.acknowledged) {
        throw error(error_kind::argument,
                    fmt::format("replay: rank {}, step {}: it ends when {} messages have come from "
                                "anybody; replay the schedule that names their senders",
                                rank, n, what.value));
      }
      std::erase(r.collects, what.edge);
      return done(rank, n);
    case step_kind::stage:
    case step_kind::deliver: return done(rank, n);
    case step_kind::signal: {
      if (what.peer < 0 || what.peer == rank) {
        count_up(rank, what.edge);
      } else {
        parcel p;
        p.what = letter::signal;
        p.from = rank;
        p.to = what.peer;
        p.edge = what.edge;
        send(p);
      }
      return done(rank, n);
    }
    case step_kind::await: return await(rank, n);
    default: return join(rank, n);
  }
}

/// A step in the network: the carrier tells when this rank's part is done.
void replay_run::join(int rank, std::int64_t n) {
  if (options_.through == nullptr) {
    throw error(error_kind::configuration,
                fmt::format("replay: rank {}, step {}: the message-level network has no "
                            "collectives of its own",
                            rank, n));
  }
  const step& what = at(rank).at(n).what;
  parcel p;
  p.what = letter::reply;
  p.from = p.to = rank;
  p.asker = n;
  const network_collective kind = what.kind == step_kind::net_barrier ? network_collective::barrier
                                  : what.kind == step_kind::net_multicast
                                      ? network_collective::broadcast
                                  : what.peer == schedule::own ? network_collective::all_reduce
                                                               : network_collective::reduce;
  const std::uint64_t bytes = std::max(what.left.bytes, what.into.bytes);
  options_.through->join(engine_.now(), rank, {kind, what.peer, bytes, what.edge, 0}, carry(p));
}

void replay_run::work(int rank, std::int64_t n) {
  const step& what = at(rank).at(n).what;
  parcel p;
  p.from = rank;
  p.asker = n;
  if (const schedule::piece* from = remote_operand(rank, what)) {
    p.what = letter::request;
    p.to = from->owner;
    p.about = from->bytes;
    return send(p);
  }
  if (!is_remote(rank, what.into)) return done(rank, n);
  p.what = letter::stored;
  p.to = what.into.owner;
  p.bytes = what.into.bytes;
  send(p);
}

void replay_run::collect(int rank, std::uint32_t edge) {
  replay_rank& r = at(rank);
  r.collects.push_back(edge);
  for (auto it = early_.begin(); it != early_.end();) {
    const auto& [where, source, its_edge, invites] = it->first;
    if (where != rank || its_edge != edge || invites) {
      ++it;
      continue;
    }
    for (const parcel& p : it->second) possible(rank, job::gather, r.base, p);
    it = early_.erase(it);
  }
}

void replay_run::effect_of_take(int rank, std::int64_t n) {
  const parcel p = at(rank).at(n).came;
  if (p.how == mechanism::rendezvous) {
    parcel request = p;
    request.what = letter::request;
    std::swap(request.from, request.to);
    request.asker = n;
    return send(request);
  }
  if (p.sender >= 0) acknowledge(p);
  done(rank, n);
}

void replay_run::effect_of_gather(const parcel& p) {
  if (p.how == mechanism::rendezvous && p.what == letter::offer) {
    parcel request = p;
    request.what = letter::request;
    std::swap(request.from, request.to);
    return send(request);
  }
  if (p.sender >= 0) acknowledge(p);
}

void replay_run::effect_of_got(int rank, const task& what) {
  if (what.with.sender >= 0) acknowledge(what.with);
  done(rank, what.step);
}

void replay_run::acknowledge(const parcel& what) {
  parcel back = what;
  back.what = letter::acknowledgement;
  back.from = what.to;
  back.to = what.from;
  back.bytes = 0;
  send(back);
}

void replay_run::send(parcel what) { after({}, {happening::type::leaves, what.from, what, {}}); }

/// A receive looks for its message, a send for its invitation.
void replay_run::post(int rank, std::int64_t n) {
  open_step& s = at(rank).at(n);
  const bool invited = s.what.kind == step_kind::send;
  const key where{rank, s.what.peer, s.what.edge, invited};
  const auto found = early_.find(where);
  if (found == early_.end()) {
    waiting_[where].push_back(n);
    return;
  }
  s.came = found->second.front();
  found->second.pop_front();
  if (found->second.empty()) early_.erase(found);
  possible(rank, invited ? job::invited : job::take, n);
}

void replay_run::came(const parcel& p) {
  replay_rank& r = at(p.to);
  switch (p.what) {
    case letter::acknowledgement: return possible(p.to, job::told, p.sender);
    case letter::reply:
      return p.asker < 0 ? possible(p.to, job::gather, r.base, p)
                         : possible(p.to, job::got, p.asker, p);
    case letter::stored:
      return after(message(p.from, p.to, 0).latency,
                   {happening::type::later, p.from, {}, {p.asker, job::told, 0, {}}});
    case letter::signal: return possible(p.to, job::count, r.base, p);
    case letter::request: {
      parcel reply = p;
      reply.what = letter::reply;
      reply.bytes = p.about;
      std::swap(reply.from, reply.to);
      return send(reply);
    }
    default: break;
  }
  const bool invites = p.what == letter::invitation;
  if (!invites && std::find(r.collects.begin(), r.collects.end(), p.edge) != r.collects.end()) {
    return possible(p.to, job::gather, r.base, p);
  }
  const key where{p.to, p.from, p.edge, invites};
  const auto found = waiting_.find(where);
  if (found == waiting_.end()) {
    early_[where].push_back(p);
    return;
  }
  const std::int64_t n = found->second.front();
  found->second.pop_front();
  if (found->second.empty()) waiting_.erase(found);
  r.at(n).came = p;
  possible(p.to, invites ? job::invited : job::take, n);
}

void replay_run::count_up(int rank, std::uint32_t which) {
  ++at(rank).counters[which];
  wake(rank, which);
}

void replay_run::await(int rank, std::int64_t n) {
  const step& what = at(rank).at(n).what;
  const int where = what.peer < 0 ? rank : what.peer;
  at(where).awaited[what.edge].emplace_back(rank, n);
  wake(where, what.edge);
}

/// Those for whom the counter is high enough see it, from afar later.
void replay_run::wake(int rank, std::uint32_t which) {
  const std::uint64_t value = at(rank).counters[which];
  std::vector<std::pair<int, std::int64_t>> freed;
  std::erase_if(at(rank).awaited[which], [&](const auto& each) {
    const bool enough = value >= at(each.first).at(each.second).what.value;
    if (enough) freed.push_back(each);
    return enough;
  });
  for (const auto& [who, n] : freed) {
    const duration way = who == rank ? duration() : message(who, rank, 0).latency;
    after(way, {happening::type::later, who, {}, {n, job::seen, 0, {}}});
  }
}

}  // namespace upwash::simulator::detail
