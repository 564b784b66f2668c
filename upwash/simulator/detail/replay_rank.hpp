// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a replay keeps of a rank: its generator, the steps that are open, what its processor may do
// next, and the messages that nobody waits for yet.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/base/prefetch.hpp"
#include "upwash/schedule/generator.hpp"
#include "upwash/simulator/detail/early_and_waiting.hpp"
#include "upwash/simulator/detail/replay_parcel.hpp"

namespace upwash::simulator::detail {

/// What a processor does for a step.
enum class job : std::uint8_t {
  begin,    ///< all that it waits for is done
  take,     ///< the message of a receive is here
  got,      ///< what was asked for is here
  told,     ///< an acknowledgement is here; a put is there
  invited,  ///< the receiver has the place free
  seen,     ///< a peer's counter is high enough
  count,    ///< a signal is here (no step)
  gather,   ///< a message that a collect takes (no step)
};

/// Of a step what its time depends on. In one cache line.
struct alignas(64) open_step {
  /// Of an edge, with its header; of a copy or reduction; the value of an await or a close.
  std::uint64_t bytes = 0;
  /// Of what came for a receive; of the operand that a copy or reduction fetches.
  std::uint64_t other_bytes = 0;
  /// Of a copy or reduction: who has the operand, or where the result goes.
  int peer = schedule::own;
  std::uint32_t edge = 0;
  step_number came_from = no_step;  ///< step that waits for an acknowledgement
  /// Steps that wait for this one: a list of (place in the ring, which of its dependencies), + 1.
  std::uint32_t first_waiter = 0;
  std::array<std::uint32_t, schedule::step::most_dependencies> next_waiter{};
  schedule::step_kind kind = schedule::step_kind::copy;
  schedule::mechanism how = schedule::mechanism::eager;  ///< of an edge
  std::uint8_t unmet = 0;                                ///< dependencies not done
  bool after_all : 1 = false;
  bool begun : 1 = false;
  bool done : 1 = false;
  bool invites : 1 = false;       ///< the receiver of the edge begins
  bool acknowledged : 1 = false;  ///< the sender of the edge waits for its end
  bool closes_known : 1 = false;  ///< a close that need not count
  bool fetches : 1 = false;
  bool stores : 1 = false;

  /// Of a receive, or of a send to who invites.
  [[nodiscard]] early_and_waiting::key waits_for() const noexcept {
    return {peer, edge, kind == schedule::step_kind::send};
  }
  [[nodiscard]] bool is_ready(bool is_first) const noexcept {
    return unmet == 0 && (!after_all || is_first);
  }
};

/// Ordered by the step's place in the schedule, as executors take them.
struct task {
  step_number step = 0;
  std::uint32_t order = 0;   ///< as it became possible
  std::uint32_t parcel = 0;  ///< of count, gather and got: where it is kept
  job what = job::begin;

  /// Numbers wrap; those that are compared are close together.
  friend bool operator>(const task& a, const task& b) noexcept {
    if (a.step != b.step) return static_cast<std::int32_t>(a.step - b.step) > 0;
    return static_cast<std::int32_t>(a.order - b.order) > 0;
  }
};

/// What only some schedules need.
struct counting {
  std::vector<std::uint32_t> collects;
  std::map<std::uint32_t, std::uint64_t> counters;
  std::map<std::uint32_t, std::vector<std::pair<int, step_number>>> awaited;
};

struct alignas(64) replay_rank {
  replay_rank(const schedule::generator& from, const schedule::facts* facts,
              std::uint32_t least_window)
      : window(std::max(from.window() + 1, least_window)), known(facts), steps(from) {}

  std::uint32_t window;       ///< so many steps may be open
  open_step* ring = nullptr;  ///< of so many; given before the first
  std::uint32_t front = 0;    ///< in the ring: the first open step
  step_number base = 0;       ///< its number
  step_number next = 0;       ///< of the next step
  bool ended = false;
  bool at_stage = false;
  bool busy = false;
  std::uint32_t orders = 0;
  std::uint32_t parcels = 0;
  std::vector<task> tasks;  ///< a heap: possible, with nothing but the processor missing
  task current;
  /// Steps that wait for messages, in the order in which they began to: a list of places in the
  /// ring + 1, by `next_waiter[0]`. Most messages come in this order; steps that one passes over,
  /// and messages that come early, are moved to the table.
  std::uint32_t first_posted = 0;
  std::uint32_t last_posted = 0;
  early_and_waiting meets;
  duration completion;
  duration processor;
  std::unique_ptr<counting> counts;
  const schedule::facts* known;
  schedule::generator steps;

  [[nodiscard]] std::uint32_t place_of(step_number n) const noexcept {
    const std::uint32_t i = front + (n - base);
    return i < window ? i : i - window;
  }
  [[nodiscard]] step_number number_at(std::uint32_t place) const noexcept {
    return base + (place >= front ? place - front : place + window - front);
  }
  void post(std::uint32_t place) noexcept {
    ring[place].next_waiter[0] = 0;
    (first_posted == 0 ? first_posted : ring[last_posted - 1].next_waiter[0]) = place + 1;
    last_posted = place + 1;
  }
  /// The place of the first that was posted; there is one.
  [[nodiscard]] std::uint32_t take_posted() noexcept {
    const std::uint32_t place = first_posted - 1;
    first_posted = ring[place].next_waiter[0];
    return place;
  }
  [[nodiscard]] open_step& at(step_number n) noexcept { return ring[place_of(n)]; }
  [[nodiscard]] counting& counted() {
    if (!counts) counts = std::make_unique<counting>();
    return *counts;
  }
  [[nodiscard]] bool collects(std::uint32_t edge) const noexcept {
    return counts && std::find(counts->collects.begin(), counts->collects.end(), edge) !=
                         counts->collects.end();
  }
  /// What each event needs of it.
  void prefetch() const noexcept {
    constexpr std::size_t of_steps = 112;
    const auto before = reinterpret_cast<const char*>(&steps) - reinterpret_cast<const char*>(this);
    upwash::prefetch(this, static_cast<std::size_t>(before) + of_steps);
  }
  void prefetch_step(std::uint32_t place) const noexcept { upwash::prefetch(&ring[place]); }
  /// Once the rank itself is here.
  void prefetch_steps() const noexcept {
    prefetch_step(front);
    prefetch_step(place_of(next - 1));
    if (first_posted != 0) prefetch_step(first_posted - 1);
    upwash::prefetch(tasks.data());
    steps.prefetch();
  }
  [[nodiscard]] std::size_t schedule_bytes() const noexcept {
    return sizeof(steps) + window * sizeof(open_step);
  }
  /// Of all else.
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return sizeof(*this) - sizeof(steps) + tasks.capacity() * sizeof(task) + meets.memory_bytes();
  }
};

}  // namespace upwash::simulator::detail
