// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/detail/price/edges.hpp"

#include <utility>

namespace upwash::schedule::detail {
namespace {

bool is_offered(const wire& way) {
  return way.how == mechanism::rendezvous || way.how == mechanism::single_copy;
}

}  // namespace

/// What the peer of a step sends for its edge.
message edges::from_peer(message_kind what, int rank, step_number n) {
  const step& of = step_at(rank, n);
  const wire way = wire_of(of, uses_.rules);
  message m;
  m.what = what;
  m.how = way.how;
  m.from = uses_.team.standing_for(rank, of.peer, false);
  m.to = rank;
  m.level = uses_.team.level(rank, of.peer);
  m.edge = of.edge;
  m.asked = bytes_of(of);
  m.receiver = n;
  if (what == message_kind::data && is_offered(way)) m.what = message_kind::offer;
  if (m.what == message_kind::data || m.what == message_kind::reply) m.bytes = m.asked;
  if (way.all().back().backwards) m.sender = n;
  return m;
}

void edges::send(int rank, step_number n, duration at) {
  const step& what = step_at(rank, n);
  if (!wire_of(what, uses_.rules).asks_first()) return put_on_wire(rank, n, at);
  if (uses_.team.by_class()) {
    uses_.out.expect(from_peer(message_kind::invitation, rank, n), at);
  }
  uses_.meetings.await_invitation(rank, n, uses_.team.standing_for(rank, what.peer, true), at);
}

void edges::invited(int rank, step_number n, duration at) {
  const std::size_t level = uses_.team.level(rank, step_at(rank, n).peer);
  const duration heard = uses_.costs.note(level).receive_overhead;
  put_on_wire(rank, n, uses_.at_work.spend(rank, at, heard));
}

void edges::put_on_wire(int rank, step_number n, duration at) {
  const step& what = step_at(rank, n);
  const wire way = wire_of(what, uses_.rules);
  const bool offers = is_offered(way);
  message m = uses_.team.message_to(what.peer, offers ? message_kind::offer : message_kind::data,
                                    rank, offers ? 0 : bytes_of(what));
  m.how = way.how;
  m.edge = what.edge;
  m.asked = bytes_of(what);
  const bool is_answered = way.all().back().backwards;
  if (is_answered) m.sender = n;
  duration work = uses_.costs.choose_memory(rank, what.left, m);
  work += uses_.costs.of(m).send_overhead;
  work += uses_.costs.combining(rank, what.left);
  const duration out = uses_.at_work.spend(rank, at, work);
  if (uses_.team.by_class() && is_answered) expect_answers(rank, n, out);
  uses_.out.launch(m, out);
  if (!is_answered) uses_.flow.finish(rank, n, out);
}

/// By class, of an edge that does not end with its first message.
void edges::expect_answers(int rank, step_number n, duration earliest) {
  message answer = from_peer(message_kind::acknowledgement, rank, n);
  uses_.out.expect(answer, earliest);
  if (answer.how != mechanism::rendezvous) return;
  answer.what = message_kind::request;
  uses_.out.expect(answer, earliest);
}

void edges::acknowledged(int rank, step_number n, duration at) {
  const std::size_t level = uses_.team.level(rank, step_at(rank, n).peer);
  const duration heard = uses_.costs.note(level).receive_overhead;
  uses_.flow.finish(rank, n, uses_.at_work.spend(rank, at, heard));
}

void edges::receive(int rank, step_number n, duration at) {
  const step& what = step_at(rank, n);
  if (wire_of(what, uses_.rules).asks_first()) {
    message m = uses_.team.message_to(what.peer, message_kind::invitation, rank, 0);
    m.edge = what.edge;
    uses_.out.launch(m, uses_.at_work.spend(rank, at, uses_.costs.of(m).send_overhead));
  }
  if (uses_.team.by_class()) uses_.out.expect(from_peer(message_kind::data, rank, n), at);
  uses_.meetings.await_message(rank, n, uses_.team.standing_for(rank, what.peer, false), at);
}

void edges::take(int rank, step_number n, duration at) {
  const message m = uses_.messages.take(uses_.windows.at(rank, n).message);
  const model::message_cost note = uses_.costs.note(m.level);
  const bool answers = m.sender != no_step;
  duration work = note.receive_overhead;
  switch (m.how) {
    case mechanism::rendezvous: return fetch(rank, n, m, at);
    case mechanism::single_copy:
      work += uses_.costs.work().copy(m.asked) + note.send_overhead;
      break;
    case mechanism::signalling_put: break;
    default:
      work = uses_.costs.of(m).receive_overhead + uses_.costs.work().copy_out(m.bytes) +
             (answers ? note.send_overhead : duration());
  }
  const duration done = uses_.at_work.spend(rank, at, work);
  if (answers) acknowledge(rank, m, done);
  uses_.flow.finish(rank, n, done);
}

void edges::taken_by_collect(int rank, std::uint64_t which, duration at) {
  const message m = uses_.messages.take(which);
  if (m.how == mechanism::rendezvous) return fetch(rank, no_step, m, at);
  const charges& work = uses_.costs.work();
  const bool answers = m.sender != no_step;
  duration busy = uses_.costs.of(m).receive_overhead;
  busy += m.how == mechanism::single_copy ? work.copy(m.asked) : work.copy_out(m.bytes);
  if (answers) busy += uses_.costs.note(m.level).send_overhead;
  const duration done = uses_.at_work.spend(rank, at, busy);
  if (answers) acknowledge(rank, m, done);
}

/// The acknowledgement's send overhead has been spent.
void edges::acknowledge(int rank, const message& what, duration at) {
  message back;
  back.what = message_kind::acknowledgement;
  back.from = rank;
  back.to = what.from;
  back.level = what.level;
  back.edge = what.edge;
  back.receiver = what.sender;
  uses_.out.launch(back, at);
}

/// Answers an offer by a get.
void edges::fetch(int rank, step_number n, const message& offer, duration at) {
  message request = offer;
  request.what = message_kind::request;
  std::swap(request.from, request.to);
  request.receiver = n;
  const duration heard = uses_.at_work.spend(rank, at, uses_.costs.of(offer).receive_overhead);
  const model::message_cost& asking = uses_.costs.of(request);
  if (uses_.team.by_class()) {
    uses_.out.expect(from_peer(message_kind::reply, rank, n), heard + asking.latency * 2);
  }
  const duration asked = uses_.at_work.spend(rank, heard, uses_.costs.of(request).send_overhead);
  uses_.out.launch_get(request, asked);
}

void edges::fetched(int rank, const message& reply, duration at) {
  const step_number n = reply.receiver;
  const duration done = uses_.at_work.spend(rank, at, uses_.costs.note(reply.level).send_overhead);
  acknowledge(rank, reply, done);
  if (n != no_step) uses_.flow.finish(rank, n, done);
}

}  // namespace upwash::schedule::detail
