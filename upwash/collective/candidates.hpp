// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What there is to choose from for a call, with values for parameters, and what each should take:
// the one list that the model selector, searches and their reports use.
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

/// An algorithm with values worth trying for the call: first the initial ones, at most 32 in all,
/// those that the algorithm objects to left out. What a parameter tries: model::trial.
[[nodiscard]] std::vector<selection> candidates_of(const algorithm& one, const problem& call);

/// Of all algorithms, in the order of the registry.
[[nodiscard]] std::vector<selection> candidates(const registry& from, const problem& call);

/// So many steps a candidate's price may cost in a team of so many ranks where a choice waits for
/// it: 10,000 in a small team (3 ms), 200,000 from 250 ranks on (60 ms), eight a rank of the
/// largest.
[[nodiscard]] std::uint64_t steps_worth_a_choice(int ranks) noexcept;

/// Predicts what a call takes: the price of its schedule on a machine, and what the executor adds.
/// Not from several threads at a time.
class predictor {
 public:
  explicit predictor(const machine& on);

  struct prediction {
    std::optional<duration> time;    ///< to the end; of the busiest processor where overlapped
    std::uint64_t steps_walked = 0;  ///< what it cost to find out
    std::uint64_t edge_sizes = 0;    ///< price_result::edge_sizes
  };
  /// Nothing for more than `most_steps`, for lengths known at run time only, and for what is seen
  /// to take longer than `enough` (asking for completion). Deterministic: the same at all ranks.
  /// Time: price.hpp.
  [[nodiscard]] prediction predict(const selection& one, const problem& call,
                                   std::uint64_t most_steps,
                                   duration enough = duration::max()) const;

  /// No prediction for completion is below it, but where few ranks stand for all; zero for teams
  /// of up to 8, whose price costs less than this. Walks at most 8,000 steps, and no further than
  /// to more than `enough`.
  [[nodiscard]] duration least(const selection& one, const problem& call,
                               duration enough = duration::max()) const;

  [[nodiscard]] const machine& on() const noexcept { return on_; }
  /// The same, as messages of the executor see it: what all but schedules on a board is priced on.
  [[nodiscard]] const machine& edged() const noexcept { return eager_.on(); }
  /// Sizes of eager edges on it.
  [[nodiscard]] const eager_sizes& eager() const noexcept { return eager_; }

 private:
  [[nodiscard]] const machine& seen_by(const selection& one, const problem& call) const;
  [[nodiscard]] bool is_cheap(const selection& one, const problem& call) const;

  machine on_;
  eager_sizes eager_;      ///< on the machine with edges
  machine edged_between_;  ///< but inside nodes as it is, where it has more than a node
};

/// What a rank in the middle of the team has to move, where there is no price: its bytes, with 8
/// KiB more for each message. UINT64_MAX for more than 200,000 steps, or lengths known at run time
/// only.
[[nodiscard]] std::uint64_t effort_of_a_rank(const selection& one, const problem& call);

struct ranked {
  selection what;
  std::optional<duration> predicted;
};

/// The same selection with each other size of eager edges that changes what travels and is worth a
/// price (eager_sizes.hpp), priced as far as `enough`. `edge_sizes`: what its prediction said.
[[nodiscard]] std::vector<ranked> with_other_eager_sizes(const selection& one,
                                                         std::uint64_t edge_sizes,
                                                         const problem& call, const predictor& by,
                                                         std::uint64_t most_steps,
                                                         duration enough = duration::max());

/// Candidates in predicted order, the cheapest first; those without a price at the end. The first
/// three also with other sizes of eager edges, where these are cheaper.
[[nodiscard]] std::vector<ranked> ranking(const std::vector<selection>& all, const problem& call,
                                          const predictor& by, std::uint64_t most_steps);
/// The same; `done` is told how many are priced.
[[nodiscard]] std::vector<ranked> ranking(const std::vector<selection>& all, const problem& call,
                                          const predictor& by, std::uint64_t most_steps,
                                          function_ref<void(std::size_t)> done);

}  // namespace upwash::collective
