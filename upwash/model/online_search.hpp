// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Finds the fastest of some candidates by trying them in the calls that a program makes anyway.
// Whoever has a choice that many members must make alike (a collective, a stream) drives one of
// these at each member, and adds up what they report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace upwash::model {

struct online_settings {
  int calls_a_batch = 2;     ///< that try one candidate; the least of their times counts
  int rivals = 5;            ///< that a round tries, at most
  double worthwhile = 1.03;  ///< times as fast a rival must be, in two rounds, to replace the best
  double steady = 1.25;      ///< the best may differ so much before and after a rival
  double hopeless = 1.5;     ///< a rival so many times as slow is not tried again
  /// Calls without trials between two rounds are so many for each one of a rival, at least: two
  /// percent of calls. Doubled after each round that changes nothing, up to `most_rest`.
  std::uint64_t rest_a_trial = 50;
  std::uint64_t most_rest = std::uint64_t{1} << 20U;
};

/// The same at all members as long as they pass the same calls and the same sums. A round tries
/// best, rival, best, rival, ..., best: each rival is compared with the best just before and after
/// it, and not at all where these differ (another load, other cores). Memory: O(candidates).
class online_search {
 public:
  /// Candidates 0 .. count - 1, in predicted order; 0 is the best so far. At least one.
  explicit online_search(std::size_t count, const online_settings& with = {});

  /// What the next calls do.
  struct phase {
    std::size_t candidate = 0;
    std::uint64_t calls = 0;  ///< at least one; then `next`
    bool timed = false;       ///< pass what they take to `took`
  };
  [[nodiscard]] const phase& now() const noexcept { return now_; }
  void took(double ns) noexcept;

  /// The phase's calls have been made. True: the round is over, and the next call must wait until
  /// members have added up their `report` and passed the sums to `agree`.
  [[nodiscard]] bool next();
  /// Picoseconds of each batch of the round, as this member saw it.
  [[nodiscard]] std::span<const std::uint64_t> report() const noexcept { return batches_; }
  void agree(std::span<const std::uint64_t> sums);

  [[nodiscard]] std::size_t best() const noexcept { return best_; }
  /// Of the last round in which it was compared, over the best's; 0: not compared yet.
  [[nodiscard]] double ratio(std::size_t candidate) const { return ratios_.at(candidate); }
  /// Rounds that ended, and whether the last one left the best as it was.
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
  std::size_t challenger_ = none;       ///< won a round, and must win the next one too
  std::vector<std::size_t> rivals_;     ///< of the round
  std::vector<std::uint64_t> batches_;  ///< of the round: what they took, so far
  std::size_t batch_ = 0;
  phase now_;
  std::uint64_t rest_ = 0;  ///< calls between the last rounds
  int rounds_ = 0;
};

}  // namespace upwash::model
