// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The state of a replay. Ranks that share ports (a node's) are one place, whose events are walked
// in the order of time. Between places nothing is known sooner than a latency: so all places are
// walked through a window of that length one after the other, or by several threads, and what they
// send to each other is handed over between windows. Places that lie side by side form a stretch,
// which one thread walks at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "upwash/base/huge_pages.hpp"
#include "upwash/simulator/detail/replay_lookahead.hpp"
#include "upwash/simulator/detail/replay_rank.hpp"
#include "upwash/simulator/network.hpp"
#include "upwash/simulator/replay.hpp"

namespace upwash::simulator::detail {

/// Thrown when something is known from one place to another sooner than within a window.
struct window_too_long {
  std::int64_t known_within_ps;  ///< 0: at once
};

struct stretch {
  numbered<parcel> parcels;
  std::int64_t next_ps = INT64_MAX;  ///< of its places
};

class replay_state {
 public:
  /// Windows of 0: one place of all ranks.
  replay_state(int ranks, function_ref<schedule::generator(int)> schedule_of, const machine& on,
               const schedule::transfer_rules& by, const replay_options& with, lookahead ahead);

  [[nodiscard]] replay_rank& rank(int r) noexcept { return ranks[static_cast<std::size_t>(r)]; }
  [[nodiscard]] std::size_t place_of(int r) const noexcept {
    return static_cast<std::size_t>(r / ranks_a_place);
  }
  [[nodiscard]] std::size_t outermost() const noexcept { return network.on().levels.size() - 1; }
  /// Whether first bytes of messages are kept apart from what else happens at a place.
  [[nodiscard]] bool keeps_apart(std::size_t level) const noexcept {
    return level == outermost() && options.by_windows && options.through == nullptr &&
           options.links.on == nullptr;
  }
  /// Whether all that is kept apart comes through one port.
  [[nodiscard]] bool has_one_port() const noexcept {
    return network.ranks_per_port(outermost()) == ranks_a_place;
  }
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

  static constexpr std::size_t places_a_stretch = 32;

  schedule::transfer_rules rules;
  replay_options options;
  int ranks_per_node;
  int ranks_a_place;
  lookahead ahead;
  message_network network;
  std::vector<schedule::facts> facts;  ///< of all ranks alike, or of each
  /// What is touched all over while time goes on.
  std::vector<replay_rank, in_huge_pages<replay_rank>> ranks;
  std::vector<open_step, in_huge_pages<open_step>> open_steps;  ///< of all ranks
  std::vector<replay_place, in_huge_pages<replay_place>> places;
  std::vector<std::int64_t> next_ps;  ///< of each place
  std::vector<stretch> stretches;
};

}  // namespace upwash::simulator::detail
