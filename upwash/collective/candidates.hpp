// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The candidates for a call: algorithms with parameter values, and their predicted times. The model
// selector, the searches and their reports use this list.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/base/function_ref.hpp"
#include "upwash/collective/eager_sizes.hpp"
#include "upwash/collective/registry.hpp"
#include "upwash/model/machine.hpp"
#include "upwash/schedule/lower.hpp"

namespace upwash::collective {

/// Returns the algorithm with parameter values worth trying for the call, the initial values first.
/// At most 32 selections; those to which the algorithm objects are left out. model::trial says
/// which values of a parameter are tried.
[[nodiscard]] std::vector<selection> candidates_of(const algorithm& one, const problem& call);

/// Returns the selections of all algorithms, in the order of the registry.
[[nodiscard]] std::vector<selection> candidates(const registry& from, const problem& call);

/// Returns the step budget for pricing one candidate while a call waits for the choice, in a team
/// of `ranks` ranks: 10,000 steps in a small team (3 ms), 200,000 from 250 ranks on (60 ms), eight
/// a rank in the largest teams.
[[nodiscard]] std::uint64_t steps_worth_a_choice(int ranks) noexcept;

/// Predicts the time of a call: the price of its schedule on a machine and the executor's own work.
/// Not for several threads at a time.
class predictor {
 public:
  explicit predictor(const machine& on);

  struct prediction {
    std::optional<duration> time;  ///< until completion; of the busiest processor for an overlapped
                                   ///< call
    std::uint64_t steps_walked = 0;  ///< cost of the prediction
    std::uint64_t edge_sizes = 0;    ///< price_result::edge_sizes
  };
  /// Predicts the time of the call. Gives no time for schedules of more than `most_steps` steps,
  /// for lengths that are known only at run time, and, if completion is asked for, as soon as the
  /// time exceeds `enough`. Deterministic: all ranks get the same result. Cost: price.hpp.
  [[nodiscard]] prediction predict(const selection& one, const problem& call,
                                   std::uint64_t most_steps,
                                   duration enough = duration::max()) const;

  /// Returns a lower bound of all predictions of completion, except those in which few ranks
  /// represent all. Zero for teams of up to 8 members, because their price costs less than the
  /// bound. Walks at most 8,000 steps and stops when the bound exceeds `enough`.
  [[nodiscard]] duration least(const selection& one, const problem& call,
                               duration enough = duration::max()) const;

  [[nodiscard]] const machine& on() const noexcept { return on_; }
  /// The same machine with the costs of executor messages. All schedules are priced on it, except
  /// those on shared slots (boards).
  [[nodiscard]] const machine& edged() const noexcept { return eager_.on(); }
  /// Sizes of eager edges on that machine.
  [[nodiscard]] const eager_sizes& eager() const noexcept { return eager_; }

 private:
  [[nodiscard]] const machine& seen_by(const selection& one, const problem& call) const;
  [[nodiscard]] bool is_cheap(const selection& one, const problem& call) const;

  machine on_;
  eager_sizes eager_;      ///< on the machine with edges
  machine edged_between_;  ///< edges between nodes, the plain machine inside nodes; used if there
                           ///< are several nodes
};

/// Returns the data volume of a rank in the middle of the team, for calls without a price: its
/// bytes, and 8 KiB for each message. UINT64_MAX for more than 200,000 steps, or for lengths that
/// are known only at run time.
[[nodiscard]] std::uint64_t effort_of_a_rank(const selection& one, const problem& call);

struct ranked {
  selection what;
  std::optional<duration> predicted;
};

/// Returns the selection with each other size of eager edges that changes the transfers and is
/// worth a price (eager_sizes.hpp). Pricing stops at `enough`. `edge_sizes`: from the selection's
/// prediction.
[[nodiscard]] std::vector<ranked> with_other_eager_sizes(const selection& one,
                                                         std::uint64_t edge_sizes,
                                                         const problem& call, const predictor& by,
                                                         std::uint64_t most_steps,
                                                         duration enough = duration::max());

/// Returns the candidates by predicted time, the cheapest first and those without a price last. The
/// first three also appear with other sizes of eager edges if these are cheaper.
[[nodiscard]] std::vector<ranked> ranking(const std::vector<selection>& all, const problem& call,
                                          const predictor& by, std::uint64_t most_steps);
/// The same ranking. Calls `done` with the number of candidates priced so far.
[[nodiscard]] std::vector<ranked> ranking(const std::vector<selection>& all, const problem& call,
                                          const predictor& by, std::uint64_t most_steps,
                                          function_ref<void(std::size_t)> done);

}  // namespace upwash::collective
