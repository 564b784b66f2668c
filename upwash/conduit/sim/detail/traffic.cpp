// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/sim/detail/traffic.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "upwash/base/ensure.hpp"

namespace upwash::conduit::sim {
namespace {

void copy_bytes(std::byte* to, std::span<const std::byte> from) {
  if (!from.empty()) std::memcpy(to, from.data(), from.size());
}

void has_landed(flight& self, duration complete) {
  auto& record = static_cast<message_record&>(self);
  record.home->arrived(&record, complete);
}

/// Credits come back to the sender: an event at its side.
void credits_return(void* subject, std::uint64_t count) {
  peer_state& state = *static_cast<peer_state*>(subject);
  ensure(count <= state.used, "no more credits return than are used", count, state.used);
  state.used -= static_cast<std::uint32_t>(count);
  if (!std::exchange(state.starved, false)) return;
  state.ranks->notify(state.source, state.ranks->events().now());
}

/// While a handler runs, the ranks of its endpoint spend the poller's time.
class handler_scope {
 public:
  handler_scope(simulation& in, int poller) : in_(in), poller_(poller) {
    ensure(!in.in_handler(poller), "polling never nests (E3)");
    in.set_poller(poller, true);
  }
  ~handler_scope() { in_.set_poller(poller_, false); }
  handler_scope(const handler_scope&) = delete;
  handler_scope& operator=(const handler_scope&) = delete;

 private:
  simulation& in_;
  int poller_;
};

}  // namespace

traffic::traffic(simulation& in)
    : in_(in),
      boxes_(static_cast<std::size_t>(in.options().ranks)),
      gates_(static_cast<std::size_t>(in.layout().processes())) {}

void traffic::attach(int rank, sink* receiver) {
  at(rank).receiver = receiver;
  if (!at(rank).kept.empty()) in_.ranks.notify(rank, in_.ranks.events().now());
}

bool traffic::admits(int source, int destination, lane kind, bool from_handler) {
  gate& g = gates_[static_cast<std::size_t>(in_.layout().process_of(destination))];
  if (g.closed == 0 || from_handler || kind != lane::request) return true;
  if (g.refused.empty() || g.refused.back() != source) g.refused.push_back(source);
  return false;
}

injection traffic::claim(int source, int destination, lane kind, peer_state*& state) {
  state = &peer(source, destination, static_cast<unsigned>(kind));
  if (state->reserved) return injection::retry(retry_reason::reserved);
  if (state->used >= static_cast<std::uint32_t>(in_.options().queue_messages)) {
    state->starved = true;
    return injection::retry(retry_reason::no_credit);
  }
  if (in_.refuse_by_chance(source)) return injection::retry(retry_reason::no_credit);
  ++state->used;
  state->ranks = &in_.ranks;
  state->source = source;
  return injection::done();
}

message_record* traffic::make(const message& m, std::size_t payload_bytes,
                              std::size_t argument_bytes) {
  message_record* record = pool_.take(payload_bytes, argument_bytes);
  record->home = this;
  record->source = m.source;
  record->destination = m.destination;
  record->handler = m.handler;
  record->kind = m.kind;
  record->sequence = m.sequence;
  record->argument_bytes = static_cast<std::uint8_t>(m.arguments.size());
  record->payload_bytes = static_cast<std::uint32_t>(payload_bytes);
  copy_bytes(record->arguments(), m.arguments);
  return record;
}

injection traffic::send(const message& m, bool from_handler) {
  if (!admits(m.source, m.destination, m.kind, from_handler)) {
    return injection::retry(retry_reason::throttled);
  }
  peer_state* state = nullptr;
  if (const injection refused = claim(m.source, m.destination, m.kind, state);
      refused.what == outcome::retry) {
    return refused;
  }
  message_record* record = make(m, m.payload.size(), m.arguments.size());
  copy_bytes(record->payload(), m.payload);
  record->order = state;
  record->landed = &has_landed;
  in_.prepare(*record, m.arguments.size() + m.payload.size());
  in_.launch(*record);
  return injection::done();
}

injection traffic::prepare(int source, int destination, lane kind, std::size_t bytes,
                           reservation& room) {
  if (!admits(source, destination, kind, in_.in_handler(source))) {
    return injection::retry(retry_reason::throttled);
  }
  peer_state* state = nullptr;
  if (const injection refused = claim(source, destination, kind, state);
      refused.what == outcome::retry) {
    return refused;
  }
  message m;
  m.kind = kind;
  m.source = source;
  m.destination = destination;
  message_record* record = make(m, bytes, max_argument_bytes);
  record->order = state;
  state->reserved = true;
  room = {{record->payload(), bytes},
          source,
          destination,
          kind,
          reinterpret_cast<std::uint64_t>(record)};
  return injection::done();
}

void traffic::commit(const reservation& room, const message& m) {
  auto* record = reinterpret_cast<message_record*>(room.handle);
  ensure(m.payload.size() <= room.payload.size(), "a payload fits into its room", m.payload.size());
  ensure(m.payload.empty() || m.payload.data() == room.payload.data(), "a payload is in its room");
  record->handler = m.handler;
  record->sequence = m.sequence;
  record->argument_bytes = static_cast<std::uint8_t>(m.arguments.size());
  copy_bytes(record->arguments(), m.arguments);
  record->payload_bytes = static_cast<std::uint32_t>(m.payload.size());
  record->order->reserved = false;
  record->landed = &has_landed;
  in_.prepare(*record, m.arguments.size() + m.payload.size());
  in_.launch(*record);
}

void traffic::cancel(const reservation& room) {
  auto* record = reinterpret_cast<message_record*>(room.handle);
  record->order->reserved = false;
  --record->order->used;
  pool_.give(record);
}

void traffic::arrived(message_record* record, duration when) {
  if (!in_.network.has_threads()) return into_mailbox(record, when);
  const auto take_by_thread = [](void* subject, std::uint64_t) {
    auto& came = *static_cast<message_record*>(subject);
    simulation& in = came.home->in_;
    const duration now = in.ranks.events().now();
    came.home->into_mailbox(
        &came, in.network.by_thread(came.destination, now, came.cost.receive_overhead));
  };
  in_.ranks.events().schedule(when, record->destination, record->source,
                              {take_by_thread, record, 0});
}

void traffic::into_mailbox(message_record* record, duration when) {
  record->available = when;
  const int rank = record->destination;
  at(rank).arrivals.insert(record);
  in_.ranks.notify(rank, when);
}

duration traffic::next_arrival(int rank) const noexcept {
  const message_record* first = at(rank).arrivals.front();
  return first == nullptr ? duration::max() : first->available;
}

int traffic::deliver(int owner, int poller, int limit) {
  mailbox& box = at(owner);
  int count = 0;
  if (box.receiver != nullptr && !box.kept.empty()) {
    const std::vector<message_record*> kept = std::move(box.kept);
    box.kept.clear();
    for (message_record* record : kept) {
      hand_over(record, poller);
      ++count;
    }
  }
  while (count < limit && next_arrival(owner) <= in_.ranks.clock(poller)) {
    message_record* record = box.arrivals.pop();
    take(record, poller);
    hand_over(record, poller);
    ++count;
    if (box.receiver != nullptr && box.receiver->acts_first()) break;
  }
  return count;
}

/// Of the processor that takes it.
duration traffic::overhead_of_taking(const message_record& record) const noexcept {
  return in_.network.has_threads() ? duration() : record.cost.receive_overhead;
}

void traffic::take(message_record* record, int poller) {
  in_.ranks.advance(poller, overhead_of_taking(*record));
  peer_state* state = record->order;
  if (state == nullptr) return;
  ++state->taken;
  // Rarely, so that credits cost few events; at once when the sender waits for one.
  const auto batch =
      std::max<std::uint32_t>(1, static_cast<std::uint32_t>(in_.options().queue_messages) / 4);
  if (state->taken < batch && !state->starved) return;
  const duration when = in_.ranks.clock(poller) + in_.acknowledgement(*record);
  in_.ranks.events().schedule(when, record->source, record->destination,
                              {&credits_return, state, state->taken});
  state->taken = 0;
}

void traffic::hand_over(message_record* record, int poller) {
  mailbox& box = at(record->destination);
  if (box.receiver == nullptr) {
    box.kept.push_back(record);
    return;
  }
  ++delivered_;
  if (in_.conflicts) in_.conflicts->deliver(record->destination, record->from);
  {
    const handler_scope scope(in_, poller);
    in_hand_ = {record->available, overhead_of_taking(*record)};
    box.receiver->deliver(record->view());
  }
  if (record->destination != poller) {
    in_.ranks.notify(record->destination, in_.ranks.clock(poller));
  }
  if (in_.conflicts) in_.conflicts->let_go(record->from);
  pool_.give(record);
}

void traffic::throttle(int first_rank, bool on) {
  // Word of it travels like a message of no bytes over the outermost level.
  const std::size_t outermost = in_.network.on().levels.size() - 1;
  // Another rank of the endpoint may ask for it while its first one waits since long.
  const duration asked = std::max(in_.clock(first_rank), in_.ranks.events().now());
  const duration when = asked + in_.network.cost(outermost, 0).latency;
  const auto turn = [](void* subject, std::uint64_t what) {
    static_cast<traffic*>(subject)->set_gate(static_cast<int>(what >> 1U), (what & 1U) != 0);
  };
  const auto endpoint = static_cast<std::uint64_t>(in_.layout().process_of(first_rank));
  in_.ranks.events().schedule(when, first_rank, first_rank,
                              {turn, this, endpoint << 1U | (on ? 1U : 0U)});
}

void traffic::set_gate(int endpoint, bool closed) {
  gate& g = gates_[static_cast<std::size_t>(endpoint)];
  g.closed += closed ? 1 : -1;
  if (g.closed != 0) return;
  for (const int rank : std::exchange(g.refused, {})) {
    in_.ranks.notify(rank, in_.ranks.events().now());
  }
}

}  // namespace upwash::conduit::sim
