// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The message-level network: each level has ports, a message holds one at its sender and one at
// its receiver for its gap, and waits for both in turn. No switches and no routes: contention is
// at the ends only. Costs are those of model/cost (LogGP or piecewise alpha-beta).
#pragma once

#include <cstdint>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/base/prefetch.hpp"
#include "upwash/model/cost.hpp"
#include "upwash/model/machine.hpp"

namespace upwash::simulator {

/// The life of a message: `depart` when its processor hands it over, `arrive` at the time that
/// this returned. Both are called in the order of time for each port. Memory: 16 bytes a rank
/// and level.
class message_network {
 public:
  message_network(machine on, int ranks);

  [[nodiscard]] const machine& on() const noexcept { return on_; }

  /// The innermost level that both share; `cost` of `bytes` on it (the last one asked is kept).
  [[nodiscard]] std::size_t level(int a, int b) const noexcept { return on_.level_between(a, b); }
  [[nodiscard]] const model::message_cost& cost(std::size_t level, std::uint64_t bytes);

  /// Whether a rank's messages queue behind others at the ports of this level: then hand-overs
  /// must be made in the order of time by events, not when each rank gets there.
  [[nodiscard]] bool ports_contended(std::size_t level) const noexcept {
    return levels_[level].ranks_per_port > 1 || levels_[level].one_budget;
  }

  [[nodiscard]] int ranks_per_port(std::size_t level) const noexcept {
    return levels_[level].ranks_per_port;
  }
  /// In and out of a port wait for each other.
  [[nodiscard]] bool one_budget(std::size_t level) const noexcept {
    return levels_[level].one_budget;
  }

  /// Whether each rank has a thread that bears the overheads of its messages.
  [[nodiscard]] bool has_threads() const noexcept { return !threads_.empty(); }
  /// The thread of `rank` handles a message that is there at `ready`, after all before it; when it
  /// is done. Called in the order of time.
  [[nodiscard]] duration by_thread(int rank, duration ready, duration overhead) noexcept;

  /// Asks for the memory of a rank's outermost port.
  void prefetch(int rank) const noexcept {
    const level_state& state = levels_.back();
    upwash::prefetch(&state.ports[static_cast<std::size_t>(rank / state.ranks_per_port)]);
  }

  /// Takes the sender's port from `ready` on, or when it is free; the time at which the first
  /// byte is at the receiver.
  [[nodiscard]] duration depart(std::size_t level, int sender, duration ready,
                                const model::message_cost& cost) noexcept;

  /// Takes the receiver's port for a message whose first byte came at `head`; the time at which
  /// its last byte is in. Never decreasing for a port.
  [[nodiscard]] duration arrive(std::size_t level, int receiver, duration head,
                                const model::message_cost& cost) noexcept;

  /// Since when, or from when on, nothing comes through the receiver's port.
  [[nodiscard]] duration in_free(std::size_t level, int receiver) const noexcept {
    const level_state& state = levels_[level];
    return state.ports[static_cast<std::size_t>(receiver / state.ranks_per_port)].in_free;
  }

 private:
  struct port {
    duration out_free;
    duration in_free;
  };
  struct level_state {
    std::vector<port> ports;
    int ranks_per_port = 1;
    bool one_budget = false;  ///< in and out wait for each other
    std::uint64_t cached_bytes = UINT64_MAX;
    model::message_cost cached;
  };

  machine on_;
  std::vector<level_state> levels_;
  std::vector<duration> threads_;  ///< by rank: since when it is free; empty: none
};

}  // namespace upwash::simulator
