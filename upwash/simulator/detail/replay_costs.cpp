// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a replayed processor's work costs.
#include "upwash/simulator/detail/replay_walker.hpp"

namespace upwash::simulator::detail {

using schedule::mechanism;
using schedule::step_kind;

duration replay_walker::copying(std::uint64_t bytes) const {
  const machine& on = all_.network.on();
  const bool is_free = all_.options.free_where_absent && !on.processor.copy_ns_per_byte;
  return bytes == 0 || is_free ? duration() : model::copy_time(on, bytes);
}

duration replay_walker::reducing(std::uint64_t bytes) const {
  const machine& on = all_.network.on();
  const auto& cost = on.processor.reduce_ns_per_byte;
  if (bytes == 0 || (all_.options.free_where_absent && !cost)) return {};
  return model::bytes_time(bytes, needed(on, cost, "processor.reduce", "reducing"));
}

duration replay_walker::cost_of_take(const parcel& p) {
  const model::message_cost& small = costs_.of_empty(p.from, p.to);
  const duration receive = small.receive_overhead;
  const duration send = small.send_overhead;
  const duration answer = p.sender != no_step ? send : duration();
  switch (p.how) {
    case mechanism::rendezvous: return receive + send;
    case mechanism::signalling_put: return receive;
    case mechanism::single_copy: return receive + copying(p.about) + answer;
    default: break;
  }
  const bool copies = all_.network.on().processor.copy_ns_per_byte.has_value();
  return costs_.between(p.from, p.to, p.bytes()).receive_overhead +
         (copies ? copying(p.bytes()) : duration()) + answer;
}

duration replay_walker::cost_of_work(int rank, const open_step& s) {
  if (s.fetches) return costs_.of_empty(rank, s.peer).send_overhead;
  const duration combining = s.kind == step_kind::reduce ? reducing(s.bytes) : duration();
  if (s.stores) return combining + costs_.between(rank, s.peer, s.bytes).send_overhead;
  return s.kind == step_kind::copy ? copying(s.bytes) : combining;
}

duration replay_walker::cost_of_begin(int rank, const open_step& s) {
  switch (s.kind) {
    case step_kind::send: {
      if (s.invites) return {};
      const bool offers = s.how == mechanism::rendezvous || s.how == mechanism::single_copy;
      return costs_.between(rank, s.peer, offers ? 0 : s.bytes).send_overhead;
    }
    case step_kind::receive:  // the invitation
      return costs_.of_empty(rank, s.peer).send_overhead;
    case step_kind::signal:
      return s.peer < 0 || s.peer == rank ? duration()
                                          : costs_.of_empty(rank, s.peer).send_overhead;
    case step_kind::net_multicast:
    case step_kind::net_reduce:
    case step_kind::net_barrier: return overheads_in_network(rank).send_overhead;
    case step_kind::copy:
    case step_kind::reduce: return cost_of_work(rank, s);
    default: return {};
  }
}

duration replay_walker::cost_of_got(int rank, const open_step& s) {
  switch (s.kind) {
    case step_kind::receive: return costs_.of_empty(rank, s.peer).send_overhead;
    case step_kind::net_multicast:
    case step_kind::net_reduce:
    case step_kind::net_barrier: return overheads_in_network(rank).receive_overhead;
    case step_kind::reduce: return reducing(s.bytes);
    default: return {};
  }
}

duration replay_walker::cost_of(int rank, const task& what) {
  if (what.what == job::count || what.what == job::gather) {
    const parcel& p = near_->parcels[what.parcel];
    const model::message_cost& small = costs_.of_empty(p.from, p.to);
    if (what.what == job::count) return small.receive_overhead;
    return p.what == letter::reply ? small.send_overhead : cost_of_take(p);
  }
  const open_step& s = all_.rank(rank).at(what.step);
  switch (what.what) {
    case job::begin: return cost_of_begin(rank, s);
    case job::take: return cost_of_take(arrived_at(rank, what.step));
    case job::got: return cost_of_got(rank, s);
    case job::told:
      return s.kind == step_kind::send ? costs_.of_empty(rank, s.peer).receive_overhead
                                       : duration();
    case job::invited: {
      const parcel p = outgoing(rank, what.step);
      const duration receive = costs_.of_empty(rank, s.peer).receive_overhead;
      return receive + costs_.between(p.from, p.to, p.bytes()).send_overhead;
    }
    case job::seen: {
      if (s.peer < 0 || s.peer == rank) return {};
      const model::message_cost& small = costs_.of_empty(rank, s.peer);
      return small.send_overhead + small.receive_overhead;
    }
    default: return {};
  }
}

/// As for a message to a rank far away.
model::message_cost replay_walker::overheads_in_network(int rank) {
  const int ranks = static_cast<int>(all_.ranks.size());
  return ranks == 1 ? model::message_cost() : costs_.of_empty(rank, (rank + ranks / 2) % ranks);
}

}  // namespace upwash::simulator::detail
