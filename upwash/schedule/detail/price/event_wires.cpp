// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How an edge travels, in the wire steps of lower().
#include <algorithm>
#include <bit>

#include "upwash/schedule/detail/price/event_run.hpp"

namespace upwash::schedule::detail {
namespace {

std::uint64_t bytes_of(const step& what) {
  const piece& data = what.kind == step_kind::send ? what.left : what.into;
  return data.bytes + 8 * std::uint64_t{what.header.count};
}

}  // namespace

wire event_run::wire_of(const step& what) const {
  return lower(bytes_of(what), what.placed, what.acknowledged, rules_);
}

void event_run::note_size(const step& sent) noexcept {
  const std::uint64_t bytes = bytes_of(sent);
  if (bytes != 0)
    edge_sizes_ |= std::uint64_t{1} << std::min<std::uint64_t>(std::bit_width(bytes - 1), 63);
}

event_run::message event_run::to_peer(message_kind what, int rank, int peer,
                                      std::uint64_t bytes) const {
  message m;
  m.what = what;
  m.from = rank;
  m.to = walked(rank, peer, what != message_kind::request && what != message_kind::invitation);
  m.level = level(rank, peer);
  m.bytes = bytes;
  return m;
}

/// What the peer of a step sends for its edge.
event_run::message event_run::from_peer(message_kind what, int rank, step_number n) {
  const step& of = state(rank).window.at(n).what;
  const wire way = wire_of(of);
  message m;
  m.what = what;
  m.how = way.how;
  m.from = walked(rank, of.peer, false);
  m.to = rank;
  m.level = level(rank, of.peer);
  m.edge = of.edge;
  m.asked = bytes_of(of);
  m.receiver = n;
  if (what == message_kind::data &&
      (way.how == mechanism::rendezvous || way.how == mechanism::single_copy)) {
    m.what = message_kind::offer;
  }
  if (m.what == message_kind::data || m.what == message_kind::reply) m.bytes = m.asked;
  if (way.all().back().backwards) m.sender = n;
  return m;
}

void event_run::send(int rank, step_number n, duration at) {
  const step& what = state(rank).window.at(n).what;
  if (!wire_of(what).asks_first()) return put_on_wire(rank, n, at);
  if (by_class()) expect(from_peer(message_kind::invitation, rank, n), at);
  const meeting_key key{rank, walked(rank, what.peer, true), what.edge, true};
  if (const auto met = meetings_.meet(key, meetings::side::waiting, n)) {
    post(std::max(at, drop(*met).arrived), rank, happening::invited, n);
  }
}

/// From the memory of the NIC what is sent more than once. What the copy takes.
duration event_run::choose_memory(int rank, const piece& from, message& m) {
  const bool between_nodes = m.level + 1 == on_.levels.size();
  if (!nic_charges_ || !between_nodes || m.what != message_kind::data) return {};
  const nic_memory::way goes = state(rank).nic.send(from);
  m.from_nic = goes != nic_memory::way::from_main;
  if (goes != nic_memory::way::copied_first) return {};
  return model::bytes_time(m.bytes, needed(on_, on_.nic.memory_copy_ns_per_byte, "nic.memory_copy",
                                           "copying to the memory of the NIC"));
}

void event_run::put_on_wire(int rank, step_number n, duration at) {
  const step& what = state(rank).window.at(n).what;
  const wire way = wire_of(what);
  const bool offers = way.how == mechanism::rendezvous || way.how == mechanism::single_copy;
  message m = to_peer(offers ? message_kind::offer : message_kind::data, rank, what.peer,
                      offers ? 0 : bytes_of(what));
  m.how = way.how;
  m.edge = what.edge;
  m.asked = bytes_of(what);
  const bool is_answered = way.all().back().backwards;
  if (is_answered) m.sender = n;
  duration work = choose_memory(rank, what.left, m);
  work += cost_of(m).send_overhead;
  if (const std::size_t combined = state(rank).packed.take(what.left); combined != 0) {
    work += charges_.combine() * static_cast<std::int64_t>(combined);
  }
  const duration out = spend(rank, at, work);
  if (by_class() && is_answered) expect_answers(rank, n, out);
  launch(m, out);
  if (!is_answered) finish(rank, n, out);
}

void event_run::receive(int rank, step_number n, duration at) {
  const step& what = state(rank).window.at(n).what;
  if (wire_of(what).asks_first()) {
    message m = to_peer(message_kind::invitation, rank, what.peer, 0);
    m.edge = what.edge;
    launch(m, spend(rank, at, cost_of(m).send_overhead));
  }
  if (by_class()) expect(from_peer(message_kind::data, rank, n), at);
  const meeting_key key{rank, walked(rank, what.peer, false), what.edge, false};
  if (const auto met = meetings_.meet(key, meetings::side::waiting, n)) {
    state(rank).window.at(n).message = *met;
    post(std::max(at, messages_[*met].arrived), rank, happening::take, n);
  }
}

void event_run::take(int rank, step_number n, duration at) {
  open_step& s = state(rank).window.at(n);
  message m = drop(s.message);
  const model::message_cost note = charges_.message(m.level, 0);
  switch (m.how) {
    case mechanism::rendezvous: return fetch(rank, n, m, at);
    case mechanism::single_copy:
      at = spend(rank, at, note.receive_overhead + charges_.copy(m.asked) + note.send_overhead);
      break;
    case mechanism::signalling_put: at = spend(rank, at, note.receive_overhead); break;
    default: {
      const bool answers = m.sender != no_step;
      at = spend(rank, at,
                 cost_of(m).receive_overhead + charges_.copy_out(m.bytes) +
                     (answers ? note.send_overhead : duration()));
    }
  }
  if (m.sender != no_step) acknowledge(rank, m, at);
  finish(rank, n, at);
}

/// The acknowledgement's send overhead has been spent.
void event_run::acknowledge(int rank, const message& what, duration at) {
  message back;
  back.what = message_kind::acknowledgement;
  back.from = rank;
  back.to = what.from;
  back.level = what.level;
  back.edge = what.edge;
  back.receiver = what.sender;
  launch(back, at);
}

/// Answers an offer by a get.
void event_run::fetch(int rank, step_number n, const message& offer, duration at) {
  message request = offer;
  request.what = message_kind::request;
  std::swap(request.from, request.to);
  request.receiver = n;
  const duration heard = spend(rank, at, cost_of(offer).receive_overhead);
  if (by_class()) {
    expect(from_peer(message_kind::reply, rank, n), heard + cost_of(request).latency * 2);
  }
  ask(request, heard);
}

/// Begins a get: a request without bytes, whose answer the other NIC sends.
void event_run::ask(message request, duration at) {
  nics_answer_ = true;
  launch(request, spend(request.from, at, cost_of(request).send_overhead));
}

void event_run::fetched(int rank, std::uint64_t which, duration at) {
  message reply = drop(which);
  const step_number n = reply.receiver;
  if (reply.sender != no_step) {
    at = spend(rank, at, charges_.message(reply.level, 0).send_overhead);
    acknowledge(rank, reply, at);
    if (n != no_step) finish(rank, n, at);
    return;
  }
  step& what = state(rank).window.at(n).what;
  if (what.kind == step_kind::copy) return finish(rank, n, spend(rank, at, {}));
  // The other operand of a reduction may be a peer's too.
  (what.left.owner != own ? what.left : what.right).owner = own;
  work(rank, n, at);
}

std::uint64_t event_run::keep(const message& what) {
  if (free_messages_.empty()) {
    messages_.push_back(what);
    return messages_.size() - 1;
  }
  const std::uint64_t which = free_messages_.back();
  free_messages_.pop_back();
  messages_[which] = what;
  return which;
}

void event_run::launch(const message& what, duration at) {
  const std::uint64_t which = keep(what);
  messages_[which].chain = state(what.from).chain + 1;
  // A processor hands over in the order of time; a NIC that answers comes in between.
  if (nics_answer_ || ports_.contended(what.level)) {
    const std::uint64_t subject = subject_of(which, what.from, what.to);
    if (what.what == message_kind::reply) {
      post(at, what.from, happening::arrive, subject | answer_bit);
    } else {
      post(at, what.from, happening::depart, subject);
    }
  } else {
    depart(which, at);
  }
}

void event_run::depart(std::uint64_t which, duration at) {
  const message& m = messages_[which];
  const duration head = ports_.depart(m.level, m.from, at, cost_of(m));
  if (by_class()) return publish(drop(which), head);
  post(head, m.to, happening::arrive, subject_of(which, m.to, m.from));
}

event_run::message event_run::drop(std::uint64_t which) {
  free_messages_.push_back(which);
  const message& dropped = messages_[which];
  std::uint32_t& chain = state(dropped.to).chain;
  chain = std::max(chain, dropped.chain);
  return dropped;
}

void event_run::arrive(std::uint64_t which, duration at) {
  const message& m = messages_[which];
  landed(which, ports_.arrive(m.level, m.to, at, cost_of(m)));
}

void event_run::landed(std::uint64_t which, duration complete) {
  message& m = messages_[which];
  switch (m.what) {
    case message_kind::data:
    case message_kind::offer:
    case message_kind::invitation: m.arrived = complete; return match(which);
    case message_kind::acknowledgement:
      post(complete, m.to, happening::released, m.receiver);
      return free_messages_.push_back(which);
    case message_kind::reply: return post(complete, m.to, happening::fetched, which);
    case message_kind::request: {
      message reply = m;
      reply.what = message_kind::reply;
      reply.bytes = m.asked;
      std::swap(reply.from, reply.to);
      free_messages_.push_back(which);
      return launch(reply, complete);
    }
    case message_kind::stored: {  // the NICs tell the sender
      const message done = drop(which);
      return post(complete + charges_.message(done.level, 0).latency, done.from,
                  happening::released, done.sender);
    }
    case message_kind::signal: return post(complete, m.to, happening::signalled, which);
  }
}

void event_run::match(std::uint64_t which) {
  const message& m = messages_[which];
  const bool invites = m.what == message_kind::invitation;
  rank_state& r = state(m.to);
  if (!invites && std::find(r.collects.begin(), r.collects.end(), m.edge) != r.collects.end()) {
    return post(m.arrived, m.to, happening::collect, which);
  }
  const auto met = meetings_.meet({m.to, m.from, m.edge, invites}, meetings::side::message, which);
  if (!met) return;
  if (invites) {
    const message came = drop(which);
    return post(came.arrived, came.to, happening::invited, *met);
  }
  r.window.at(*met).message = which;
  post(m.arrived, m.to, happening::take, *met);
}

void event_run::collect(int rank, std::uint32_t edge, duration at) {
  state(rank).collects.push_back(edge);
  for (const std::uint64_t which : meetings_.take_messages(rank, edge)) {
    post(std::max(at, messages_[which].arrived), rank, happening::collect, which);
  }
}

void event_run::taken_by_collect(int rank, std::uint64_t which, duration at) {
  const message m = drop(which);
  if (m.how == mechanism::rendezvous) return fetch(rank, no_step, m, at);
  const bool answers = m.sender != no_step;
  const duration done = spend(
      rank, at,
      cost_of(m).receive_overhead +
          (m.how == mechanism::single_copy ? charges_.copy(m.asked) : charges_.copy_out(m.bytes)) +
          (answers ? charges_.message(m.level, 0).send_overhead : duration()));
  if (answers) acknowledge(rank, m, done);
}

}  // namespace upwash::schedule::detail
