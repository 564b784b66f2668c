// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Walks the places of a replay through a window of time: what a processor's work costs, and what
// follows it. One a thread; a place belongs to one walker at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "upwash/simulator/detail/cost_table.hpp"
#include "upwash/simulator/detail/link_flows.hpp"
#include "upwash/simulator/detail/replay_state.hpp"

namespace upwash::simulator::detail {

class replay_walker {
 public:
  /// What is sent to other places goes to `outboxes`, one for each walker, by stretches.
  replay_walker(replay_state& all, std::size_t walkers)
      : all_(all), costs_(all.network.on()), outboxes_(walkers) {
    if (all.options.links.on != nullptr) flows_.emplace(all, costs_);
  }

  /// The first steps of a stretch's ranks, at time zero.
  void begin(std::size_t stretch_number);
  /// All events of some stretches before `end`; what they send to others happens then or later.
  void walk(std::size_t first_stretch, std::size_t last_stretch, std::int64_t end_ps);
  /// The same of some places.
  void walk_places(const std::vector<std::size_t>& some, std::int64_t end_ps);
  /// The same for a single place whose messages a carrier takes.
  void walk_with_carrier();

  /// Hands over what `from` has for the stretches of walker `number`.
  void take_over(replay_walker& from, std::size_t number);

  [[nodiscard]] const replay_totals& totals() const noexcept { return totals_; }
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  /// How an edge travels, of what schedule::lower says.
  struct lowered {
    bool is = false;
    std::uint64_t bytes = 0;
    bool placed = false;
    bool asked = false;
    schedule::mechanism how = schedule::mechanism::eager;
    bool invites = false;
    bool acknowledged = false;
  };

  // replay_walker.cpp: events, steps as they open and end.
  [[nodiscard]] stretch& near(std::size_t place) const noexcept {
    return all_.stretches[place / replay_state::places_a_stretch];
  }
  void walk_active(std::int64_t end_ps);
  void ask_for_ranks(std::size_t number, std::int64_t end_ps) const;
  void ask_for_steps(std::size_t number, std::int64_t end_ps) const;
  void ask_for_frames(std::size_t number, std::int64_t end_ps) const;
  void walk_place(std::size_t number, std::int64_t end_ps);
  void take_ports(const event& until);
  void take_port(const event& first_byte);
  void handle(const event& e);
  void choose_in_turn();
  void refill(int rank);
  void open(replay_rank& r, const schedule::step& what);
  void describe(replay_rank& r, open_step& s, const schedule::step& what);
  [[nodiscard]] lowered lower(std::uint64_t bytes, bool placed, bool acknowledged);
  void wait_for(replay_rank& r, step_number n, const schedule::step& what);
  void become_ready(int rank, step_number n);
  void possible(int rank, job what, step_number step, std::uint32_t parcel = 0);
  void start_next(int rank);
  void done(int rank, step_number n);
  void send(parcel p);
  void deliver(std::int64_t at_ps, const parcel& p);
  /// When the place must be looked at for it.
  std::int64_t receive_at(replay_place& where, stretch& around, std::int64_t at_ps,
                          const parcel& p);
  [[nodiscard]] std::uint64_t carry(const parcel& p);

  // replay_costs.cpp
  [[nodiscard]] duration cost_of(int rank, const task& what);
  [[nodiscard]] duration cost_of_begin(int rank, const open_step& s);
  [[nodiscard]] duration cost_of_got(int rank, const open_step& s);
  [[nodiscard]] duration cost_of_take(const parcel& p);
  [[nodiscard]] duration cost_of_work(int rank, const open_step& s);
  [[nodiscard]] duration copying(std::uint64_t bytes) const;
  [[nodiscard]] duration reducing(std::uint64_t bytes) const;
  [[nodiscard]] model::message_cost overheads_in_network(int rank);

  // replay_steps.cpp
  void effect(int rank, const task& what);
  void effect_of_begin(int rank, step_number n);
  void effect_of_take(const parcel& p, int rank, step_number n);
  void effect_of_gather(const parcel& p);
  void send_edge(int rank, step_number n);
  void invite(int rank, step_number n);
  void close(int rank, step_number n);
  void signal(int rank, step_number n);
  void acknowledge(const parcel& what);
  void request(const parcel& offer, step_number asker);
  void came(std::uint32_t which);
  void came_to_meet(std::uint32_t which);
  void post(int rank, step_number n);
  void met(int rank, step_number n, std::uint32_t which);
  void count_up(int rank, std::uint32_t which);
  void wake(int rank, std::uint32_t which);
  void await(int rank, step_number n);
  void collect(int rank, std::uint32_t edge);
  void work(int rank, step_number n);
  void join(int rank, step_number n);
  [[nodiscard]] parcel outgoing(int rank, step_number n);
  [[nodiscard]] parcel arrived_at(int rank, step_number n);

  replay_state& all_;
  cost_table costs_;
  std::vector<std::vector<sent_parcel>> outboxes_;
  lowered lowered_;
  schedule::step fresh_;
  replay_totals totals_;
  std::int64_t now_ = 0;
  std::int64_t end_ = 0;
  std::vector<std::size_t> active_;  ///< places to walk
  std::size_t place_number_ = 0;
  replay_place* place_ = nullptr;  ///< being walked
  stretch* near_ = nullptr;
  int choosing_ = -1;  ///< rank whose processor chooses when all of its events of now are done
  numbered<parcel> carried_;
  std::optional<link_flows> flows_;  ///< where links are shared
};

}  // namespace upwash::simulator::detail
