// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/simulator/detail/link_flows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"

namespace upwash::simulator::detail {

link_flows::link_flows(replay_state& all, cost_table& costs)
    : all_(all), costs_(costs), level_(all.network.on().levels.size() - 1) {
  const model::topology& on = *all.options.links.on;
  const auto ranks = static_cast<int>(all.ranks.size());
  const int nodes = (ranks + all.ranks_per_node - 1) / all.ranks_per_node;
  if (on.nodes() < nodes) {
    throw error(error_kind::argument, fmt::format("replay: {} has {} nodes; {} ranks need {}",
                                                  on.name(), on.nodes(), ranks, nodes));
  }
  ports_.resize(port_of(ranks - 1, false) + 1);
  std::uint32_t links = 0;
  for (int s = 0; s < on.switches(); ++s) {
    first_link_.push_back(links);
    links += static_cast<std::uint32_t>(on.ports(s));
  }
  counts_.resize(links);
}

/// In and out of a rank or node: one after the other, or each for itself.
std::uint32_t link_flows::port_of(int rank, bool leaves) const noexcept {
  const int shared = rank / all_.network.ranks_per_port(level_);
  const bool second = !leaves && !all_.network.one_budget(level_);
  return static_cast<std::uint32_t>(2 * shared + (second ? 1 : 0));
}

const model::message_cost& link_flows::cost_of(const parcel& p) {
  return costs_.of(level_, p.bytes());
}

void link_flows::push(std::int64_t at, int rank, happening what, std::uint32_t subject) {
  all_.places.front().events.push({at, rank, 0, subject, what, subject});
}

void link_flows::depart(std::int64_t now, const parcel& p) {
  queue(now, port_of(p.from, true), all_.stretches.front().parcels.keep(p), true);
}

void link_flows::arrive(std::int64_t now, std::uint32_t kept) {
  queue(now, port_of(all_.stretches.front().parcels[kept].to, false), kept, false);
}

void link_flows::port_free(std::int64_t now, std::uint32_t which) {
  ports_[which].busy = false;
  serve(now, which);
}

void link_flows::queue(std::int64_t now, std::uint32_t at, std::uint32_t message, bool leaves) {
  ports_[at].waiting.emplace_back(message, leaves);
  serve(now, at);
}

void link_flows::serve(std::int64_t now, std::uint32_t at) {
  port& here = ports_[at];
  if (here.busy || here.waiting.empty()) return;
  const auto [message, leaves] = here.waiting.front();
  here.waiting.pop_front();
  here.busy = true;
  if (leaves) return start(now, at, message);
  const parcel& p = all_.stretches.front().parcels[message];
  push(now + cost_of(p).busy.ps(), p.to, happening::port_free, at);
  all_.places.front().events.push({now + transfer_ps_[message], p.to,
                                   arrival_turn(p, static_cast<int>(all_.ranks.size())), p.number,
                                   happening::complete, message});
}

/// Its share is known when all that start now have.
void link_flows::start(std::int64_t now, std::uint32_t at, std::uint32_t message) {
  const parcel& p = all_.stretches.front().parcels[message];
  const int nodes = all_.ranks_per_node;
  flow fresh{message, at, {}};
  std::vector<model::crossing> way =
      model::preferred_way(*all_.options.links.on, p.from / nodes, {p.to / nodes, -1});
  way.pop_back();  // to the node
  for (const model::crossing& each : way) {
    fresh.links.push_back(first_link_[static_cast<std::size_t>(each.of_switch)] +
                          static_cast<std::uint32_t>(each.port));
    ++counts_[fresh.links.back()];
  }
  if (starting_.empty()) {
    push(now, static_cast<int>(all_.ranks.size()), happening::shares, 0);  // behind all ranks
  }
  starting_.push_back(flows_.keep(fresh));
}

void link_flows::share(std::int64_t now) {
  const int ranks = static_cast<int>(all_.ranks.size());
  for (const std::uint32_t each : std::exchange(starting_, {})) {
    const flow& started = flows_[each];
    const parcel& p = all_.stretches.front().parcels[started.message];
    const model::message_cost& cost = cost_of(p);
    std::uint32_t most = 0;
    for (const std::uint32_t link : started.links) most = std::max(most, counts_[link]);
    const std::int64_t alone = cost.transfer.ps();
    const std::int64_t shared =
        static_cast<std::int64_t>(most * p.bytes()) * all_.options.links.ps_per_byte;
    const std::int64_t transfer = std::max(alone, shared);
    push(now + cost.busy.ps() + transfer - alone, p.from, happening::port_free, started.port);
    push(now + transfer, p.from, happening::ended, each);
    if (transfer_ps_.size() <= started.message) transfer_ps_.resize(started.message + 1);
    transfer_ps_[started.message] = transfer;
    all_.places.front().events.push({now + cost.latency.ps(), p.to, arrival_turn(p, ranks),
                                     p.number, happening::reaches, started.message});
  }
}

void link_flows::end(std::uint32_t which) {
  const flow over = flows_.take(which);
  for (const std::uint32_t link : over.links) --counts_[link];
}

}  // namespace upwash::simulator::detail
