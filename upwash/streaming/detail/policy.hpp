// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The choices of `auto` for a stream, from prices, limits and the traffic so far. No messages, no
// clock: the caller reports the traffic. Source: Narayanan 2020, chapter 4.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/model/aggregation.hpp"
#include "upwash/streaming/adapt.hpp"
#include "upwash/streaming/detail/departure.hpp"

namespace upwash::streaming {

/// The facts known before the first send.
struct policy_facts {
  int ranks = 1;
  model::stream_prices prices{};
  std::size_t message_bytes = 8192;  ///< largest that travels in one piece
  std::size_t record_bytes = 0;      ///< 0: sizes differ
  std::size_t memory = 0;            ///< bytes that buffers may take at a member
  /// The prices are the costs of messages and items here. Otherwise, as on real conduits, where
  /// caches count for more: the initial sizes stay while they fit the memory, delays have no price,
  /// and other dimensions must promise twice the speed.
  bool sure = true;
};

/// The program's own decisions. Zero: none.
struct policy_wishes {
  int dimensions = 0;
  std::size_t effective_bytes = 0;
  std::size_t cutoff_bytes = 0;
  duration timeout{};
  double latency_cost = 0;  ///< kappa: the price of a ns of delay of an item, in ns of the sender
};

/// The policy. No cost for an item. `choose` prices some thirty settings, and only when traffic has
/// changed.
class policy {
 public:
  /// Begins with `start`, except for wishes. If `learned` holds the traffic of an earlier run, it
  /// begins with settings for that traffic.
  policy(const policy_facts& facts, const policy_wishes& wishes, const parameters& start,
         const std::optional<traffic>& learned);

  [[nodiscard]] const parameters& now() const noexcept { return now_; }
  /// Returns the moving averages over phases. No items: no phase is over yet, and nothing was
  /// learned.
  [[nodiscard]] const traffic& seen() const noexcept { return seen_; }
  /// Returns the reason for the current parameters.
  [[nodiscard]] const std::string& why() const noexcept { return why_; }
  struct price {
    int dimensions = 1;
    double ns = 0;  ///< of a phase
  };
  /// Returns the prices that were considered.
  [[nodiscard]] const std::vector<price>& prices() const noexcept { return prices_; }

  /// Reports the member's idle time in the phase that ends now. kappa is the idle time divided by
  /// the ns by which items were late, in moving averages. For programs that have kappa measured.
  void waited(double idle_ns, const traffic& of);
  /// Reports the end of a phase. Returns whether the parameters have changed.
  bool phase_over(const traffic& of);
  /// Reports the traffic of a phase so far: counts only if it is twice the expected traffic.
  /// Returns whether the parameters have changed.
  bool so_far(const traffic& of);
  /// Returns whether the items for one destination, `items_a_phase` in a phase, fill a buffer of
  /// their own.
  [[nodiscard]] bool fills_a_buffer(double items_a_phase) const noexcept;

 private:
  struct candidate {
    int dimensions = 1;
    double bytes = 0;
    double cost = 0;
  };
  bool choose(const traffic& expected);
  [[nodiscard]] bool sizes_stay() const noexcept;
  [[nodiscard]] double lateness(int dimensions, double bytes, const traffic& expected) const;
  [[nodiscard]] double cost_of(int dimensions, double bytes, const traffic& expected) const;
  [[nodiscard]] bool fits(int dimensions, double bytes, const traffic& expected) const;
  [[nodiscard]] candidate best(int dimensions, const traffic& expected) const;
  [[nodiscard]] std::size_t cutoff_for(int dimensions, double bytes) const;
  [[nodiscard]] duration timeout_for(const candidate& one, const traffic& expected) const;

  const policy_facts facts_;
  const policy_wishes wishes_;
  const parameters start_;
  parameters now_;
  double latency_cost_;        ///< kappa
  double chosen_at_cost_ = 0;  ///< kappa at the last choice
  traffic seen_;
  traffic chosen_for_;
  std::string why_ = "nothing was seen yet";
  std::vector<price> prices_;
};

}  // namespace upwash::streaming
