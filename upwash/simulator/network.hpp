// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The message-level network. Each level has ports. A message occupies one at its sender and one at
// its receiver for its gap, and waits for both in turn. There are no switches and no routes:
// contention occurs only at the ends. Costs are those of model/cost (LogGP or piecewise
// alpha-beta).
#pragma once

#include <cstdint>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/base/prefetch.hpp"
#include "upwash/model/cost.hpp"
#include "upwash/model/machine.hpp"

namespace upwash::simulator {

/// Computes the times of a message. `depart` is called when the processor hands the message over,
/// `arrive` at the time that `depart` returned. For each port both are called in the order of time.
/// Memory: 16 bytes for each rank and level.
class message_network {
 public:
  message_network(machine on, int ranks);

  [[nodiscard]] const machine& on() const noexcept { return on_; }

  /// `level` returns the innermost level that `a` and `b` share. `cost` returns the cost of `bytes`
  /// on a level; the most recent cost of each level is cached.
  [[nodiscard]] std::size_t level(int a, int b) const noexcept { return on_.level_between(a, b); }
  [[nodiscard]] const model::message_cost& cost(std::size_t level, std::uint64_t bytes);

  /// Returns whether a rank's messages queue after those of other ranks at the ports of this level.
  /// Then events must hand messages over in the order of time, not when each rank reaches the send.
  [[nodiscard]] bool ports_contended(std::size_t level) const noexcept {
    return levels_[level].ranks_per_port > 1 || levels_[level].one_budget;
  }

  [[nodiscard]] int ranks_per_port(std::size_t level) const noexcept {
    return levels_[level].ranks_per_port;
  }
  /// Returns whether the two directions of a port wait for each other.
  [[nodiscard]] bool one_budget(std::size_t level) const noexcept {
    return levels_[level].one_budget;
  }

  /// Returns whether each rank has a thread that bears the overheads of its messages.
  [[nodiscard]] bool has_threads() const noexcept { return !threads_.empty(); }
  /// Lets the thread of `rank` handle a message that is available at `ready`, after all earlier
  /// messages. Returns the time at which the thread is done. Called in the order of time.
  [[nodiscard]] duration by_thread(int rank, duration ready, duration overhead) noexcept;

  /// Prefetches the memory of a rank's outermost port.
  void prefetch(int rank) const noexcept {
    const level_state& state = levels_.back();
    upwash::prefetch(&state.ports[static_cast<std::size_t>(rank / state.ranks_per_port)]);
  }

  /// Occupies the sender's port from `ready` on, or from the time at which it is free. Returns the
  /// time at which the first byte reaches the receiver.
  [[nodiscard]] duration depart(std::size_t level, int sender, duration ready,
                                const model::message_cost& cost) noexcept;

  /// Occupies the receiver's port for a message with its first byte at `head`. Returns the time at
  /// which the last byte has arrived; it never decreases for a port.
  [[nodiscard]] duration arrive(std::size_t level, int receiver, duration head,
                                const model::message_cost& cost) noexcept;

  /// Returns the time from which the receiver's port is free.
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
    bool one_budget = false;  ///< the two directions wait for each other
    std::uint64_t cached_bytes = UINT64_MAX;
    model::message_cost cached;
  };

  machine on_;
  std::vector<level_state> levels_;
  std::vector<duration> threads_;  ///< time from which each rank's thread is free; empty: no
                                   ///< threads
};

}  // namespace upwash::simulator
