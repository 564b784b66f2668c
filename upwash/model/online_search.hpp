// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Finds the fastest of several candidates by trying them in the calls that a program makes anyway.
// Members that must make the same choice (for a collective, a stream) each drive one search and add
// up their reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace upwash::model {

struct online_settings {
  int calls_a_batch = 2;     ///< calls for one candidate; the least of their times counts
  int rivals = 5;            ///< maximum number of rivals in a round
  double worthwhile = 1.03;  ///< speed-up that a rival needs, in two rounds, to replace the best
  double steady = 1.25;      ///< allowed ratio of the best's times before and after a rival
  double hopeless = 1.5;     ///< a rival slower by this factor is not tried again
  /// Minimum number of calls without trials between two rounds, for each trial call of a rival: two
  /// percent of calls are trials. Doubled after each round that changes nothing, up to `most_rest`.
  std::uint64_t rest_a_trial = 50;
  std::uint64_t most_rest = std::uint64_t{1} << 20U;
};

/// A search; the same at all members if they pass the same calls and sums. A round tries best,
/// rival, best, rival, ..., best. Each rival is compared with the best just before and after it,
/// and not at all if these differ (another load, other cores). Memory: O(candidates).
class online_search {
 public:
  /// Candidates 0 to count - 1, in predicted order; 0 is the best so far. At least one.
  explicit online_search(std::size_t count, const online_settings& with = {});

  /// The task of the next calls.
  struct phase {
    std::size_t candidate = 0;
    std::uint64_t calls = 0;  ///< at least one; then call `next`
    bool timed = false;       ///< pass their times to `took`
  };
  [[nodiscard]] const phase& now() const noexcept { return now_; }
  void took(double ns) noexcept;

  /// Ends the phase after its calls. Returns true at the end of a round: the next call must then
  /// wait until the members have added up their `report` and passed the sums to `agree`.
  [[nodiscard]] bool next();
  /// Returns the picoseconds of each batch of the round at this member.
  [[nodiscard]] std::span<const std::uint64_t> report() const noexcept { return batches_; }
  void agree(std::span<const std::uint64_t> sums);

  [[nodiscard]] std::size_t best() const noexcept { return best_; }
  /// Returns the candidate's time divided by the best's in the last round that compared it; 0: not
  /// compared yet.
  [[nodiscard]] double ratio(std::size_t candidate) const { return ratios_.at(candidate); }
  /// `rounds` returns the number of completed rounds; `settled`, whether the last one kept the
  /// best.
  [[nodiscard]] int rounds() const noexcept { return rounds_; }
  [[nodiscard]] bool settled() const noexcept { return rounds_ > 0 && challenger_ == none; }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  void plan_round();
  void start_batch();
  void rest(bool changed);

  online_settings with_;
  std::vector<double> ratios_;
  std::size_t best_ = 0;
  std::size_t challenger_ = none;       ///< winner of one round, which must win the next one too
  std::vector<std::size_t> rivals_;     ///< of the round
  std::vector<std::uint64_t> batches_;  ///< times in the round so far
  std::size_t batch_ = 0;
  phase now_;
  std::uint64_t rest_ = 0;  ///< calls between the last rounds
  int rounds_ = 0;
};

}  // namespace upwash::model
