// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rounds that repeat: once all ranks together take as long for some rounds as for as many before,
// the rest is passed over. All that is under way is put off by what the rest takes.
#pragma once

#include <vector>

#include "upwash/schedule/detail/price/agenda.hpp"
#include "upwash/schedule/detail/price/charges.hpp"
#include "upwash/schedule/detail/price/messages_under_way.hpp"
#include "upwash/schedule/detail/price/pace.hpp"
#include "upwash/schedule/detail/price/processors.hpp"
#include "upwash/schedule/detail/price/rank_windows.hpp"

namespace upwash::schedule::detail {

/// Owns each rank's pace. Memory: 100 bytes a rank walked. Told of rounds that end; puts off what
/// the other parts have.
class repeated_rounds {
 public:
  /// What it is used against.
  struct uses {
    agenda& events;
    processors& at_work;
    messages_under_way& messages;
    rank_windows& windows;
    ports& wires;
  };
  /// Rounds are compared by `rounds_in_unit`, from `least_steps` steps of all ranks on.
  repeated_rounds(const uses& all, int ranks, std::uint32_t rounds_in_unit,
                  std::uint64_t least_steps)
      : uses_(all),
        rounds_in_unit_(rounds_in_unit),
        least_steps_(least_steps),
        paces_(static_cast<std::size_t>(ranks)) {}

  [[nodiscard]] std::uint32_t rounds_in_unit() const noexcept { return rounds_in_unit_; }
  /// A rank has gone through one more unit of a phase. Throws `error` (argument) where what is
  /// passed over takes weeks.
  void end_of_unit(int rank, std::uint32_t phase, duration at);

 private:
  [[nodiscard]] int ranks() const noexcept { return static_cast<int>(paces_.size()); }
  [[nodiscard]] pace& pace_of(int rank) { return paces_[static_cast<std::size_t>(rank)]; }
  void restart_pace(int rank);
  [[nodiscard]] bool is_steady() const;
  void skip_rounds();
  void shift(const std::vector<duration>& by_rank, const std::vector<duration>& by_port);

  uses uses_;
  std::uint32_t rounds_in_unit_;
  std::uint64_t least_steps_;
  std::vector<pace> paces_;
  std::uint32_t span_ = 1;  ///< units that are compared next
  int looked_ = 0;          ///< ranks that have gone through two such spans
};

}  // namespace upwash::schedule::detail
