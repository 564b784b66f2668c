// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/sim/detail/sim_endpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <climits>

#include "upwash/base/ensure.hpp"
#include "upwash/base/error.hpp"

namespace upwash::conduit::sim {
namespace {

constexpr int deliveries_per_poll = 64;
/// Who looks for conflicts takes no more than a rank waits for: what came early would tell it, and
/// so seem to order, what the program has not come to yet.
constexpr int deliveries_per_checked_poll = 1;
/// What networks send as one is one piece.
constexpr std::size_t medium_bytes = std::size_t{1} << 20U;
/// For machines that do not say: a loop of polls must take time, or it would never end.
constexpr duration default_poll = duration::from_ps(50'000);

constexpr capabilities what_sim_can() {
  peer_capabilities any;
  any.remote_write = true;
  any.private_reads = true;
  any.remote_completion = true;
  any.put_signal = true;
  any.long_messages = true;
  any.in_place = true;
  any.atomics = atomic_set::all();
  any.medium_bytes = medium_bytes;
  capabilities can;
  can.name = "sim";
  can.virtual_time = true;
  can.set_all(any);
  return can;
}
constexpr capabilities sim_capabilities = what_sim_can();

/// What needs the network to reach memory.
void hide_remote_access(capabilities& can) {
  for (peer_capabilities& each : can.peers) {
    each.remote_write = false;
    each.private_reads = false;
    each.remote_completion = false;
    each.put_signal = false;
    each.long_messages = false;
    each.atomics = {};
  }
}

duration time_of(const processor_costs& costs, cost kind, std::uint64_t amount) {
  const auto each = [amount](const std::optional<duration>& one) {
    return one.value_or(duration()) * static_cast<std::int64_t>(amount);
  };
  switch (kind) {
    case cost::copy: return model::bytes_time(amount, costs.copy_ns_per_byte.value_or(0));
    case cost::combine: return each(costs.combine);
    case cost::handler: return each(costs.handler);
    case cost::push: return each(costs.push);
    case cost::reduce: return model::bytes_time(amount, costs.reduce_ns_per_byte.value_or(0));
    case cost::traversal: return each(costs.traversal);
    case cost::poll: return each(costs.poll.value_or(default_poll));
  }
  return {};
}

}  // namespace

sim_endpoint::sim_endpoint(const parts& of, int first_rank, int local_ranks)
    : in_(of.in),
      messages_(of.messages),
      operations_(of.operations),
      collectives_(of.collectives),
      memory_(of.memory),
      can_(sim_capabilities),
      first_rank_(first_rank),
      local_ranks_(local_ranks),
      looks_in_vain_(static_cast<std::size_t>(local_ranks)),
      empty_polls_(static_cast<std::size_t>(local_ranks)),
      matcher_free_(static_cast<std::size_t>(local_ranks)) {
  direct_ = in_.options().direct_access;
  if (!in_.options().remote_writes) hide_remote_access(can_);
  for (peer_capabilities& each : can_.peers) each.direct_access = direct_;
  can_.network_collectives = in_.packets && in_.packets->has_collectives();
}

location sim_endpoint::place(int rank) const noexcept {
  const machine& on = in_.network.on();
  return {rank / on.ranks_in(level_kind::node), rank / on.ranks_in(level_kind::socket),
          in_.layout().process_of(rank)};
}

int sim_endpoint::poll(int rank) {
  ensure(!in_.in_handler(rank), "polling never nests (E3)");
  in_.ranks.catch_up(rank);
  const int most = in_.conflicts ? deliveries_per_checked_poll : deliveries_per_poll;
  int count = in_.ranks.take_changed(rank) ? 1 : 0;
  count += operations_.tell(rank);
  count += collectives_.tell(rank);
  count += messages_.deliver(rank, rank, most);
  for (int other = first_rank_; local_ranks_ > 1 && other < first_rank_ + local_ranks_; ++other) {
    if (other != rank) count += messages_.deliver(other, rank, most);
  }
  if (count != 0) looks_in_vain_[static_cast<std::size_t>(rank - first_rank_)] = 0;
  share_core(rank, count);
  return count;
}

/// A layer that looks at the clock finds something to do in each poll, so its rank never waits:
/// after some that brought nothing, those in line for its core go first all the same.
void sim_endpoint::share_core(int rank, int came) {
  constexpr std::uint32_t most_empty_polls = 16;
  std::uint32_t& empty = empty_polls_[static_cast<std::size_t>(rank - first_rank_)];
  empty = came == 0 ? empty + 1 : 0;
  if (empty < most_empty_polls) return;
  empty = 0;
  in_.ranks.yield(rank);
}

/// A wait begins: what it waits for has not been looked for yet.
void sim_endpoint::begin_wait(int rank) {
  looks_in_vain_[static_cast<std::size_t>(rank - first_rank_)] = 0;
}

/// Nobody tells who stored what: a rank that waits looks again, later and later.
duration sim_endpoint::next_look(int rank, const wait_reason& reason) {
  constexpr std::uint32_t most_looks = 100'000;
  constexpr std::uint32_t looks_of_a_length = 256;
  constexpr std::uint32_t most_doublings = 14;
  std::uint32_t& looks = looks_in_vain_[static_cast<std::size_t>(rank - first_rank_)];
  if (++looks > most_looks) {
    throw error(error_kind::fault,
                fmt::format("rank {}: {} #{} on team {:#x}: {} looks in vain at what its peers "
                            "store, up to {:.3f} us of virtual time; some do not take part, or "
                            "compute for very long",
                            rank, reason.operation, reason.number, reason.team, most_looks,
                            in_.ranks.clock(rank).us()));
  }
  const std::int64_t length = std::int64_t{1}
                              << std::min(looks / looks_of_a_length, most_doublings);
  return in_.ranks.clock(rank) + default_poll * (length * in_.draw(rank, 32));
}

void sim_endpoint::idle(int rank, const wait_target& target, const wait_reason& reason) {
  ensure(!in_.in_handler(rank), "handlers do not wait");
  duration until = std::min({messages_.next_arrival(rank), operations_.next_told(rank),
                             in_.retry_at(rank), target.alarm()});
  if (direct_) until = std::min(until, next_look(rank, reason));
  empty_polls_[static_cast<std::size_t>(rank - first_rank_)] = 0;
  in_.ranks.idle(rank, until, reason);
  in_.clear_retry(rank);
}

void sim_endpoint::charge(int rank, cost kind, std::uint64_t amount) noexcept {
  const machine& on = in_.network.on();
  const duration time = time_of(on.processor, kind, amount);
  if (kind == cost::traversal && on.nic.matching == nic_protocol::matcher::nic) {
    return match_by_nic(rank, time);
  }
  in_.ranks.advance(in_.acting(rank), time);
}

/// The NIC matches a message as soon as it is there, one after the other, whatever the processor
/// does meanwhile; that takes the message only then.
void sim_endpoint::match_by_nic(int rank, duration time) noexcept {
  const int paying = in_.acting(rank);
  const duration now = in_.ranks.clock(paying);
  const bool arriving = in_.in_handler(rank);
  const traffic::in_hand message = arriving ? messages_.handled() : traffic::in_hand{now, {}};
  duration& free = matcher_free_[static_cast<std::size_t>(rank - first_rank_)];
  free = std::max(free, message.since) + time;
  if (free + message.overhead > now) in_.ranks.advance(paying, free + message.overhead - now);
}

void sim_endpoint::compute(int rank, duration time) {
  in_.ranks.advance(in_.acting(rank), time);
  // What the program does next may read memory that others write until then.
  if (!in_.in_handler(rank)) in_.ranks.catch_up(rank);
}

}  // namespace upwash::conduit::sim
