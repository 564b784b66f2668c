// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/detail/price/wires.hpp"

#include <utility>

namespace upwash::schedule::detail {

void wires::launch(const message& what, duration at) {
  const std::uint64_t which = uses_.messages.keep_sent(what);
  // A processor hands over in the order of time; a NIC that answers comes in between.
  if (!nics_answer_ && !uses_.held.contended(what.level)) return depart(which, at);
  const std::uint64_t subject = uses_.messages.subject_of(which, what.from, what.to);
  if (what.what == message_kind::reply) {
    uses_.events.post(at, what.from, happening::arrive, messages_under_way::as_answer(subject));
  } else {
    uses_.events.post(at, what.from, happening::depart, subject);
  }
}

void wires::depart(std::uint64_t which, duration at) {
  const message& m = uses_.messages[which];
  const model::message_cost& cost = uses_.costs.of(m);
  if (shares_cores_ && uses_.costs.inside_node(m.level)) {
    uses_.at_work.spend_aside(m.from, cost.busy);
  }
  const duration head = uses_.held.depart(m.level, m.from, at, cost);
  if (uses_.team.by_class()) return uses_.notices.publish(uses_.messages.take(which), head);
  uses_.events.post(head, m.to, happening::arrive, uses_.messages.subject_of(which, m.to, m.from));
}

void wires::arrive(std::uint64_t which, duration at) {
  const message& m = uses_.messages[which];
  land(which, uses_.held.arrive(m.level, m.to, at, uses_.costs.of(m)));
}

void wires::land(std::uint64_t which, duration complete) {
  message& m = uses_.messages[which];
  switch (m.what) {
    case message_kind::data:
    case message_kind::offer:
    case message_kind::invitation: m.arrived = complete; return uses_.meetings.come(which);
    case message_kind::acknowledgement:
      uses_.events.post(complete, m.to, happening::released, m.receiver);
      return uses_.messages.forget(which);
    case message_kind::reply: return uses_.events.post(complete, m.to, happening::fetched, which);
    case message_kind::request: {
      message reply = m;
      reply.what = message_kind::reply;
      reply.bytes = m.asked;
      std::swap(reply.from, reply.to);
      uses_.messages.forget(which);
      return launch(reply, complete);
    }
    case message_kind::stored: {  // the NICs tell the sender
      const message done = uses_.messages.take(which);
      return uses_.events.post(complete + uses_.costs.note(done.level).latency, done.from,
                               happening::released, done.sender);
    }
    case message_kind::signal:
      return uses_.events.post(complete, m.to, happening::signalled, which);
  }
}

}  // namespace upwash::schedule::detail
