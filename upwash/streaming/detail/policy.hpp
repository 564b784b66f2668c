// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What `auto` chooses for a stream: from prices, limits and the traffic seen so far. No messages,
// no clock: whoever drives it says what came. Source: Narayanan 2020, chapter 4.
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

/// What is known before anything was sent.
struct policy_facts {
  int ranks = 1;
  model::stream_prices prices{};
  std::size_t message_bytes = 8192;  ///< largest that travels in one piece
  std::size_t record_bytes = 0;      ///< 0: sizes differ
  std::size_t memory = 0;            ///< bytes that buffers may take at a member
  /// The prices are what messages and items cost here. Else, as on real conduits, where caches
  /// count for more: the sizes to start with stay while they fit the memory and delays have no
  /// price, and other dimensions must promise twice the speed.
  bool sure = true;
};

/// What the program has decided itself. Zero: not.
struct policy_wishes {
  int dimensions = 0;
  std::size_t effective_bytes = 0;
  std::size_t cutoff_bytes = 0;
  duration timeout{};
  double latency_cost = 0;  ///< kappa: what a ns of delay of an item costs, in ns of the sender
};

/// Costs nothing an item; `choose` prices some thirty settings, and only when traffic has changed.
class policy {
 public:
  /// Begins with `start`, but for wishes; or, where `learned` says what came in an earlier run,
  /// with what suits that.
  policy(const policy_facts& facts, const policy_wishes& wishes, const parameters& start,
         const std::optional<traffic>& learned);

  [[nodiscard]] const parameters& now() const noexcept { return now_; }
  /// Moving averages over phases; no items: no phase is over yet, and nothing was learned.
  [[nodiscard]] const traffic& seen() const noexcept { return seen_; }
  /// Why the parameters are what they are.
  [[nodiscard]] const std::string& why() const noexcept { return why_; }
  struct price {
    int dimensions = 1;
    double ns = 0;  ///< of a phase
  };
  /// What was looked at then.
  [[nodiscard]] const std::vector<price>& prices() const noexcept { return prices_; }

  /// In the phase that ends now the member idled so long: kappa is what that makes of a ns by which
  /// an item was late, in moving averages. For programs that leave it to be measured.
  void waited(double idle_ns, const traffic& of);
  /// A phase is over. Whether the parameters have changed.
  bool phase_over(const traffic& of);
  /// In a phase, so far: counts only where it is twice what was expected. The same.
  bool so_far(const traffic& of);
  /// Whether items for one destination, so many a phase, fill a buffer of their own.
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
  double chosen_at_cost_ = 0;  ///< what it was
  traffic seen_;
  traffic chosen_for_;
  std::string why_ = "nothing was seen yet";
  std::vector<price> prices_;
};

}  // namespace upwash::streaming
