// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/sim/detail/simulation.hpp"

#include <algorithm>
#include <utility>

namespace upwash::conduit::sim {
namespace {

/// From one fiber to the next: measured here (base/fiber.hpp), on machines of today.
constexpr duration rank_switch = duration::from_ns(5);

/// Of either end of a message that goes by a pointer: assumed, no machine file says it.
constexpr duration inside_overhead = duration::from_ns(15);

}  // namespace

simulation::simulation(sim_options options)
    : ranks(options.ranks, options.stack_bytes),
      network(options.on, options.ranks),
      options_(std::move(options)),
      layout_(rank_layout::at_most(options_.ranks_per_process, options_.ranks)),
      pollers_(static_cast<std::size_t>(layout_.processes()), -1) {
  ranks.disturb(options_.daemons, options_.on.ranks_in(level_kind::node));
  share_cores();
  if (options_.through) {
    packets = std::make_unique<packet_side>(options_);
    ranks.accompany(*packets);
  }
  if (!options_.record_traffic.empty()) {
    record = std::make_unique<simulator::trace_writer>(options_.record_traffic);
  }
  chances_.reserve(static_cast<std::size_t>(options_.ranks));
  for (int rank = 0; rank < options_.ranks; ++rank) {
    chances_.push_back({random_stream(options_.seed, static_cast<std::uint64_t>(rank))});
  }
}

/// Processes do where there are more than cores, if the machine says what that takes; ranks of a
/// process always do.
void simulation::share_cores() {
  const processor_costs& processor = options_.on.processor;
  const int on_node = std::min(options_.on.ranks_in(level_kind::node), options_.ranks);
  const int processes = layout_.process_of(on_node - 1) + 1;  // the first node has most
  const bool few =
      processor.core_switch && processor.cores_per_node && processes > *processor.cores_per_node;
  if (!few && layout_.one_each()) return;
  ranks.share_cores(layout_, on_node, few ? *processor.cores_per_node : processes,
                    {processor.core_switch.value_or(duration{}), rank_switch});
}

void simulation::prepare(flight& what, std::uint64_t bytes) {
  what.in = this;
  what.bytes = bytes;
  what.inside = !layout_.one_each() &&
                layout_.process_of(what.source) == layout_.process_of(what.destination);
  if (what.inside) {
    const auto copied = options_.on.processor.copy_ns_per_byte.value_or(0);
    what.cost = {.send_overhead = inside_overhead,
                 .latency = {},
                 .transfer = {},
                 .busy = {},
                 .receive_overhead = inside_overhead + model::bytes_time(bytes, copied)};
    return;
  }
  what.level = static_cast<std::uint32_t>(network.level(what.source, what.destination));
  what.cost = network.cost(what.level, bytes);
}

void simulation::launch(flight& what) {
  if (conflicts) what.from = conflicts->depart(what.source, what.destination);
  const int processor = acting(what.source);
  const bool by_packets = packets && packets->carries(what.source, what.destination);
  if (what.order != nullptr) what.place = what.order->launched++;
  if (network.has_threads() && !what.inside) return launch_by_thread(what, ranks.clock(processor));
  ranks.advance(processor, what.cost.send_overhead);
  const duration ready = ranks.clock(processor);
  // A port that others use too must be taken in the order of time. So it is at once when
  // nothing can happen before; else an event does it.
  const bool contended = !what.inside && network.ports_contended(what.level);
  if (!by_packets && (!contended || ranks.next_time() > ready)) {
    take_off(what, ready);
    return;
  }
  depart_at(what, ready);
}

void simulation::depart_at(flight& what, duration ready) {
  const auto depart = [](void* subject, std::uint64_t) {
    flight& self = *static_cast<flight*>(subject);
    self.in->take_off(self, self.in->ranks.events().now());
  };
  ranks.events().schedule(ready, what.source, what.source, {depart, &what, 0});
}

/// The thread must be taken in the order of time, as ports are: by an event.
void simulation::launch_by_thread(flight& what, duration ready) {
  const auto begin = [](void* subject, std::uint64_t) {
    flight& self = *static_cast<flight*>(subject);
    simulation& in = *self.in;
    const duration now = in.ranks.events().now();
    in.depart_at(self, in.network.by_thread(self.source, now, self.cost.send_overhead));
  };
  ranks.events().schedule(ready, what.source, what.source, {begin, &what, 0});
}

void simulation::take_off(flight& what, duration ready) {
  if (record) note(what, ready);
  if (packets && packets->carries(what.source, what.destination)) {
    what.came = [](parcel& self, duration at) {
      flight& its = static_cast<flight&>(self);
      its.in->came_by_packets(its, at);
    };
    return packets->send(ready, what.source, what.destination, what.bytes, what);
  }
  duration head = what.inside ? ready : network.depart(what.level, what.source, ready, what.cost);
  if (options_.perturb) head += random_delay(what);
  if (what.order != nullptr) {
    head = std::max(head, what.order->last_head);
    what.order->last_head = head;
  }
  const auto arrive = [](void* subject, std::uint64_t) {
    flight& self = *static_cast<flight*>(subject);
    const duration now = self.in->ranks.events().now();
    land_in_order(
        self,
        self.inside ? now : self.in->network.arrive(self.level, self.destination, now, self.cost));
  };
  ranks.events().schedule(head, what.destination, what.source, {arrive, &what, 0});
}

void simulation::note(const flight& what, duration when) {
  const int each = options_.on.ranks_in(level_kind::node);
  const int from = what.source / each;
  const int to = what.destination / each;
  if (from != to) record->write({when, from, to, what.bytes});
}

/// All of it is there; perturbed runs hold it up.
void simulation::came_by_packets(flight& what, duration at) {
  if (options_.perturb) at += random_delay(what);
  const auto land = [](void* subject, std::uint64_t) {
    flight& self = *static_cast<flight*>(subject);
    land_in_order(self, self.in->ranks.events().now());
  };
  ranks.events().schedule(at, what.destination, what.source, {land, &what, 0});
}

/// Packets take different ways. And a handler works for a rank of its process at the poller's
/// clock, which may be behind that rank's own: what it sends then takes off before what the rank
/// has sent already. E1 is kept by the receiver, which parks what comes too early.
void simulation::land_in_order(flight& what, duration complete) {
  peer_state* const order = what.order;
  if (order == nullptr) return what.landed(what, complete);
  what.complete = complete;
  what.parked = std::exchange(order->parked, &what);
  for (flight** each = &order->parked; *each != nullptr;) {
    if ((*each)->place != order->landed) {
      each = &(*each)->parked;
      continue;
    }
    flight& next = *std::exchange(*each, (*each)->parked);
    ++order->landed;
    order->last_complete = std::max(order->last_complete, next.complete);
    next.landed(next, order->last_complete);
    each = &order->parked;
  }
}

duration simulation::random_delay(const flight& what) {
  random_stream& numbers = chances_[static_cast<std::size_t>(what.source)].numbers;
  if (numbers.below(2) == 0) return {};
  const duration scale = 4 * (what.cost.latency + what.cost.transfer) + duration::from_ns(100);
  return duration::from_ps(
      static_cast<std::int64_t>(numbers.below(static_cast<std::uint64_t>(scale.ps()))));
}

std::int64_t simulation::draw(int rank, std::uint32_t most) {
  if (!options_.perturb) return 1;
  return 1 +
         static_cast<std::int64_t>(chances_[static_cast<std::size_t>(rank)].numbers.below(most));
}

bool simulation::refuse_by_chance(int source) {
  if (!options_.perturb) return false;
  chance& c = chances_[static_cast<std::size_t>(source)];
  if (c.numbers.below(16) != 0) return false;
  c.retry_at = clock(source) + duration::from_ns(50);
  return true;
}

}  // namespace upwash::conduit::sim
