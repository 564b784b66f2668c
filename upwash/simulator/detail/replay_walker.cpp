// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Events of a place in the order of time, and steps as they open and end.
#include "upwash/simulator/detail/replay_walker.hpp"

#include <algorithm>
#include <functional>

#include "upwash/base/prefetch.hpp"

namespace upwash::simulator::detail {

using schedule::step;
using schedule::step_kind;

void replay_walker::begin(std::size_t stretch_number) {
  near_ = &all_.stretches[stretch_number];
  const std::size_t first = stretch_number * replay_state::places_a_stretch;
  const std::size_t last = std::min(first + replay_state::places_a_stretch, all_.places.size());
  for (std::size_t p = first; p < last; ++p) {
    place_ = &all_.places[p];
    const int first_rank = static_cast<int>(p) * all_.ranks_a_place;
    const int ranks = static_cast<int>(all_.ranks.size());
    const int end = std::min(first_rank + all_.ranks_a_place, ranks);
    for (int rank = first_rank; rank < end; ++rank) {
      refill(rank);
      if (std::exchange(choosing_, -1) < 0) continue;
      place_->events.push({0, rank, static_cast<std::uint32_t>(2 * ranks), 0, happening::chosen});
    }
    all_.next_ps[p] = place_->next_ps();
    near_->next_ps = std::min(near_->next_ps, place_->next_ps());
  }
}

void replay_walker::walk(std::size_t first_stretch, std::size_t last_stretch, std::int64_t end_ps) {
  constexpr std::size_t each = replay_state::places_a_stretch;
  active_.clear();
  for (std::size_t s = first_stretch; s < last_stretch; ++s) {
    if (all_.stretches[s].next_ps >= end_ps) continue;
    const std::size_t end = std::min((s + 1) * each, all_.places.size());
    for (std::size_t p = s * each; p < end; ++p) {
      if (all_.next_ps[p] < end_ps) active_.push_back(p);
    }
  }
  walk_active(end_ps);
  for (std::size_t s = first_stretch; s < last_stretch; ++s) {
    if (all_.stretches[s].next_ps >= end_ps) continue;
    const auto from = all_.next_ps.begin() + static_cast<std::ptrdiff_t>(s * each);
    const auto to = all_.next_ps.begin() +
                    static_cast<std::ptrdiff_t>(std::min((s + 1) * each, all_.places.size()));
    all_.stretches[s].next_ps = *std::min_element(from, to);
  }
}

void replay_walker::walk_places(const std::vector<std::size_t>& some, std::int64_t end_ps) {
  active_.clear();
  for (const std::size_t p : some) {
    if (all_.next_ps[p] < end_ps) active_.push_back(p);
  }
  walk_active(end_ps);
}

/// What large teams keep is in no cache: it is asked for some places ahead, what leads to more of
/// it first.
void replay_walker::walk_active(std::int64_t end_ps) {
  constexpr std::size_t ahead = 12;
  const std::size_t count = active_.size();
  const auto so_late = [&](std::size_t i, std::size_t by, const auto& ask) {
    if (i >= by && i - by < count) ask(active_[i - by]);
  };
  for (std::size_t i = 0; i < count + ahead; ++i) {
    so_late(i, 0, [&](std::size_t p) { upwash::prefetch(&all_.places[p]); });
    so_late(i, 3, [&](std::size_t p) { all_.places[p].prefetch(); });
    so_late(i, 6, [&](std::size_t p) { ask_for_ranks(p, end_ps); });
    so_late(i, 8, [&](std::size_t p) { ask_for_steps(p, end_ps); });
    so_late(i, 10, [&](std::size_t p) { ask_for_frames(p, end_ps); });
    so_late(i, ahead, [&](std::size_t p) { walk_place(p, end_ps); });
  }
}

void replay_walker::ask_for_ranks(std::size_t number, std::int64_t end_ps) const {
  const replay_place& here = all_.places[number];
  here.coming.for_first(end_ps, [&](const event& next) {
    near(number).parcels.prefetch(next.parcel());
    all_.network.prefetch(static_cast<int>(next.rank));
  });
  here.for_first(end_ps, [&](const event& next) {
    near(number).parcels.prefetch(next.parcel());
    all_.rank(static_cast<int>(next.rank)).prefetch();
  });
}

void replay_walker::ask_for_steps(std::size_t number, std::int64_t end_ps) const {
  all_.places[number].for_first(end_ps, [&](const event& next) {
    const replay_rank& r = all_.rank(static_cast<int>(next.rank));
    r.prefetch_steps();
    if (next.what() != happening::complete && next.what() != happening::reaches) return;
    const parcel& coming = near(number).parcels[next.parcel()];
    r.meets.prefetch({coming.from, coming.edge, coming.what == letter::invitation});
  });
}

void replay_walker::ask_for_frames(std::size_t number, std::int64_t end_ps) const {
  all_.places[number].for_first(end_ps, [&](const event& next) {
    all_.rank(static_cast<int>(next.rank)).steps.prefetch_frames();
  });
}

void replay_walker::walk_place(std::size_t number, std::int64_t end_ps) {
  place_number_ = number;
  place_ = &all_.places[number];
  near_ = &near(number);
  end_ = end_ps;
  while (place_->next_ps() < end_ps) {
    if (place_->comes_first()) {
      take_port(place_->coming.pop());
    } else {
      handle(place_->events.pop());
    }
  }
  if (all_.has_one_port()) {
    const int rank = static_cast<int>(number) * all_.ranks_a_place;
    place_->port_free_ps = all_.network.in_free(all_.outermost(), rank).ps();
  }
  all_.next_ps[number] = place_->next_ps();
}

/// The carrier runs up to each event before it happens, so both have one time.
void replay_walker::walk_with_carrier() {
  near_ = &all_.stretches.front();
  place_number_ = 0;
  place_ = &all_.places[0];
  end_ = 0;  // the carrier may have arrivals before any end of work
  const auto arrived = [&](std::uint64_t id, duration at) {
    const parcel p = carried_.take(static_cast<std::uint32_t>(id));
    const std::uint32_t kept = near_->parcels.keep(p);
    place_->events.push({at.ps(), p.to, arrival_turn(p, static_cast<int>(all_.ranks.size())),
                         p.number, happening::complete, kept});
  };
  while (true) {
    if (all_.options.through->run(duration::from_ps(place_->next_ps()), arrived)) continue;
    if (place_->events.empty()) break;
    handle(place_->events.pop());
  }
}

void replay_walker::handle(const event& e) {
  now_ = e.at_ps;
  const int rank = static_cast<int>(e.rank);
  switch (e.what()) {
    case happening::chosen: start_next(rank); break;
    case happening::finished: {
      effect(rank, all_.rank(rank).current);
      choosing_ = rank;
      break;
    }
    case happening::later: {
      const parcel p = near_->parcels.take(e.parcel());
      possible(rank, p.what == letter::told ? job::told : job::seen, p.asker);
      break;
    }
    case happening::reaches: {
      const parcel& p = near_->parcels[e.parcel()];
      if (flows_ && flows_->carries(p)) {
        flows_->arrive(now_, e.parcel());
        break;
      }
      take_port(e);
      break;
    }
    case happening::complete: came(e.parcel()); break;
    case happening::port_free: flows_->port_free(now_, e.parcel()); break;
    case happening::shares: flows_->share(now_); break;
    case happening::ended: flows_->end(e.parcel()); break;
  }
  if (choosing_ >= 0) choose_in_turn();
}

/// The first byte of a message is at its receiver's port.
void replay_walker::take_port(const event& first_byte) {
  const parcel& p = near_->parcels[first_byte.parcel()];
  const std::size_t level = costs_.level(p.from, p.to);
  const duration head = duration::from_ps(first_byte.at_ps);
  const duration last = all_.network.arrive(level, p.to, head, costs_.of(level, p.bytes()));
  place_->events.push(
      {last.ps(), p.to, first_byte.turn, p.number, happening::complete, first_byte.parcel()});
}

/// Those whose turn is before this and before all else that happens.
void replay_walker::take_ports(const event& until) {
  while (place_->comes_first() && place_->coming.first() < until) {
    take_port(place_->coming.pop());
  }
}

/// What becomes possible at the same time competes: the processor chooses once all has happened.
void replay_walker::choose_in_turn() {
  const auto rank = static_cast<std::uint32_t>(choosing_);
  const event choice(now_, choosing_, static_cast<std::uint32_t>(2 * all_.ranks.size()), 0,
                     happening::chosen);
  take_ports(choice);
  const event_heap& events = place_->events;
  if (events.next_ps() == now_ && events.first().rank <= rank) {
    if (events.first().rank == rank && events.first().turn < choice.turn) return;
    place_->events.push(choice);
    choosing_ = -1;
    return;
  }
  start_next(std::exchange(choosing_, -1));
}

void replay_walker::refill(int rank) {
  replay_rank& r = all_.rank(rank);
  while (r.base != r.next && r.ring[r.front].done) {
    if (++r.front == r.window) r.front = 0;
    ++r.base;
  }
  while (!r.ended && !r.at_stage && r.next - r.base < r.window) {
    if (!r.steps.next(fresh_, *r.known)) {
      r.ended = true;
      break;
    }
    r.at_stage = fresh_.kind == step_kind::stage;
    open(r, fresh_);
    const step_number n = r.next - 1;
    if (r.at(n).is_ready(n == r.base)) become_ready(rank, n);
  }
  if (r.base == r.next) return;
  open_step& first = r.ring[r.front];
  if (first.after_all && !first.begun && first.unmet == 0) become_ready(rank, r.base);
}

void replay_walker::open(replay_rank& r, const step& what) {
  const step_number n = r.next++;
  open_step& s = r.at(n);
  s = open_step{};
  describe(r, s, what);
  wait_for(r, n, what);
  ++totals_.steps;
}

void replay_walker::wait_for(replay_rank& r, step_number n, const step& what) {
  const std::uint32_t place = r.place_of(n);
  open_step& s = r.ring[place];
  for (std::uint32_t i = 0; i < step::most_dependencies; ++i) {
    const std::uint32_t distance = what.after[i];
    if (distance == 0 || distance > n - r.base) continue;
    open_step& earlier = r.at(n - distance);
    if (earlier.done) continue;
    s.next_waiter[i] = earlier.first_waiter;
    earlier.first_waiter = (place << 2U | i) + 1;
    ++s.unmet;
  }
}

/// Of a step what its time depends on.
void replay_walker::describe(replay_rank& r, open_step& s, const step& what) {
  const int rank = static_cast<int>(&r - all_.ranks.data());
  const auto is_remote = [&](const schedule::piece& p) {
    return p.of != schedule::buffer::none && p.owner != schedule::own && p.owner != rank &&
           !all_.rules.direct;
  };
  s.kind = what.kind;
  s.after_all = what.after_all;
  s.peer = what.peer;
  s.edge = what.edge;
  s.bytes = what.into.bytes;
  switch (what.kind) {
    case step_kind::send:
    case step_kind::receive: {
      const bool sends = what.kind == step_kind::send;
      s.bytes = (sends ? what.left.bytes : what.into.bytes) + 8ULL * what.header.count;
      const lowered way = lower(s.bytes, what.placed, what.acknowledged);
      s.how = way.how;
      s.invites = way.invites;
      s.acknowledged = way.acknowledged;
      return;
    }
    case step_kind::copy:
    case step_kind::reduce: {
      const schedule::piece* operand = is_remote(what.left)    ? &what.left
                                       : is_remote(what.right) ? &what.right
                                                               : nullptr;
      s.fetches = operand != nullptr;
      s.stores = !s.fetches && is_remote(what.into);
      s.peer = s.fetches ? operand->owner : what.into.owner;
      if (s.fetches) s.other_bytes = operand->bytes;
      return;
    }
    case step_kind::await:
    case step_kind::close:
      s.bytes = what.value;
      s.closes_known = !what.counted || what.acknowledged;
      return;
    default: s.other_bytes = what.left.bytes; return;
  }
}

/// As schedule::lower; edges that follow each other are mostly alike.
replay_walker::lowered replay_walker::lower(std::uint64_t bytes, bool placed, bool acknowledged) {
  lowered& last = lowered_;
  if (last.is && last.bytes == bytes && last.placed == placed && last.asked == acknowledged) {
    return last;
  }
  const schedule::wire way = schedule::lower(bytes, placed, acknowledged, all_.rules);
  return last = {true,
                 bytes,
                 placed,
                 acknowledged,
                 way.how,
                 way.asks_first(),
                 way.all().back().backwards};
}

void replay_walker::become_ready(int rank, step_number n) {
  open_step& s = all_.rank(rank).at(n);
  s.begun = true;
  if (s.kind == step_kind::receive && !s.invites) {
    post(rank, n);
  } else {
    possible(rank, job::begin, n);
  }
}

void replay_walker::possible(int rank, job what, step_number step, std::uint32_t parcel) {
  replay_rank& r = all_.rank(rank);
  r.tasks.push_back({step, r.orders++, parcel, what});
  std::push_heap(r.tasks.begin(), r.tasks.end(), std::greater<>());
  if (r.busy) return;
  r.busy = true;
  choosing_ = rank;
}

void replay_walker::start_next(int rank) {
  replay_rank& r = all_.rank(rank);
  while (true) {
    r.busy = !r.tasks.empty();
    if (!r.busy) return;
    if (r.tasks.size() > 1) std::pop_heap(r.tasks.begin(), r.tasks.end(), std::greater<>());
    r.current = r.tasks.back();
    r.tasks.pop_back();
    const duration cost = cost_of(rank, r.current);
    r.processor += cost;
    const std::int64_t end =
        all_.options.daemons.done(rank / all_.ranks_per_node, duration::from_ps(now_), cost).ps();
    take_ports({std::min(end, end_), 0, 0, 0, happening::finished});
    const bool is_next = end < place_->soonest_ps() && end < end_;
    if (!is_next) {
      const auto turn = static_cast<std::uint32_t>(all_.ranks.size());
      return place_->events.push({end, rank, turn, 0, happening::finished});
    }
    // Nothing happens here meanwhile: no need to go by the queue.
    now_ = end;
    effect(rank, r.current);
    if (place_->soonest_ps() <= now_) {
      choosing_ = rank;
      return choose_in_turn();
    }
  }
}

void replay_walker::done(int rank, step_number n) {
  replay_rank& r = all_.rank(rank);
  open_step& s = r.at(n);
  s.done = true;
  if (s.kind == step_kind::stage) r.at_stage = false;
  r.completion = duration::from_ps(now_);
  for (std::uint32_t each = s.first_waiter; each != 0;) {
    open_step& waiter = r.ring[(each - 1) >> 2U];
    const step_number number = r.number_at((each - 1) >> 2U);
    each = waiter.next_waiter[(each - 1) & 3U];
    --waiter.unmet;
    if (waiter.is_ready(number == r.base)) become_ready(rank, number);
  }
  refill(rank);
}

/// A message leaves its processor, or the NIC of its sender, now.
void replay_walker::send(parcel p) {
  replay_rank& r = all_.rank(p.from);
  p.number = r.parcels++;
  ++totals_.wire_messages;
  carrier* through = all_.options.through;
  if (through != nullptr && through->carries(p.from, p.to)) {
    return through->send(duration::from_ps(now_), p.from, p.to, p.bytes(), carry(p));
  }
  if (flows_ && flows_->carries(p)) return flows_->depart(now_, p);
  const std::size_t level = costs_.level(p.from, p.to);
  const duration head =
      all_.network.depart(level, p.from, duration::from_ps(now_), costs_.of(level, p.bytes()));
  deliver(head.ps(), p);
}

std::uint64_t replay_walker::carry(const parcel& p) { return carried_.keep(p); }

void replay_walker::deliver(std::int64_t at_ps, const parcel& p) {
  const std::size_t place = all_.place_of(p.to);
  if (place == place_number_) {
    receive_at(*place_, *near_, at_ps, p);
    return;
  }
  if (at_ps < end_) throw window_too_long{at_ps - now_};
  const std::size_t stretches = all_.stretches.size();
  const std::size_t box = place / replay_state::places_a_stretch * outboxes_.size() / stretches;
  outboxes_[box].push_back({at_ps, p});
}

std::int64_t replay_walker::receive_at(replay_place& where, stretch& around, std::int64_t at_ps,
                                       const parcel& p) {
  const bool is_message = p.what != letter::told && p.what != letter::seen;
  const int ranks = static_cast<int>(all_.ranks.size());
  const std::uint32_t turn =
      is_message ? arrival_turn(p, ranks) : static_cast<std::uint32_t>(ranks);
  const event here(at_ps, p.to, turn, p.number, is_message ? happening::reaches : happening::later,
                   around.parcels.keep(p));
  const std::size_t level = costs_.level(p.from, p.to);
  if (!is_message || !all_.keeps_apart(level)) {
    where.events.push(here);
    return at_ps;
  }
  where.come(here, costs_.of(level, p.bytes()).transfer.ps());
  return where.last_byte_ps();
}

void replay_walker::take_over(replay_walker& from, std::size_t number) {
  std::vector<sent_parcel>& box = from.outboxes_[number];
  constexpr std::size_t ahead = 12;
  const auto place_of = [&](std::size_t i) { return all_.place_of(box[i].what.to); };
  for (std::size_t i = 0; i < box.size(); ++i) {
    if (i + ahead < box.size()) upwash::prefetch(&all_.places[place_of(i + ahead)]);
    if (i + ahead / 2 < box.size()) all_.places[place_of(i + ahead / 2)].prefetch();
    const std::size_t place = place_of(i);
    stretch& around = near(place);
    const std::int64_t next = receive_at(all_.places[place], around, box[i].at_ps, box[i].what);
    all_.next_ps[place] = std::min(all_.next_ps[place], next);
    around.next_ps = std::min(around.next_ps, next);
  }
  box.clear();
}

std::size_t replay_walker::memory_bytes() const noexcept {
  std::size_t sum = 0;
  for (const auto& box : outboxes_) sum += box.capacity() * sizeof(sent_parcel);
  return sum;
}

}  // namespace upwash::simulator::detail
