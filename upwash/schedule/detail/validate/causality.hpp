// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The causal order of steps, independent of timing: by dependencies, messages, counters and the
// network, across ranks. One bit for each pair of steps.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "upwash/schedule/detail/validate/history.hpp"

namespace upwash::schedule::detail {

class causality {
 public:
  explicit causality(const history& of);

  /// The events known to precede: a bit for each rank's entry, and a bit for each step's
  /// completion, in the order of completion.
  using knowledge = std::vector<std::uint64_t>;

  [[nodiscard]] knowledge at_start(const step_name& of) const;
  [[nodiscard]] knowledge at_end(const step_name& of) const;
  [[nodiscard]] knowledge at_exit(int rank) const;

  [[nodiscard]] bool has_entered(const knowledge& what, int rank) const {
    return holds(what, static_cast<std::size_t>(rank));
  }
  [[nodiscard]] bool is_done(const knowledge& what, const step_name& step) const {
    return holds(what, bit_of(step));
  }

 private:
  using counter = std::pair<int, std::uint32_t>;  ///< rank, number

  [[nodiscard]] static bool holds(const knowledge& what, std::size_t bit) {
    return bit / 64 < what.size() && (what[bit / 64] >> (bit % 64) & 1U) != 0;
  }
  [[nodiscard]] std::size_t bit_of(const step_name& step) const {
    return history_.steps.size() + place_[static_cast<std::size_t>(step.rank)][step.number];
  }
  /// Calls `visit` with the number of each step of the rank that directly precedes the start of
  /// `of`: its dependencies, and the stage after which the generator continued.
  template <class Visit>
  void for_each_before(const step_name& of, const Visit& visit) const;
  void find_signals();
  void find_what_awaits_need(const counter& which, const std::vector<step_name>& awaits);
  [[nodiscard]] std::vector<std::vector<bool>> possible_without(const step_name& signal) const;

  const history& history_;
  std::vector<std::vector<std::size_t>> place_;   ///< by rank and number: position in the order of
                                                  ///< completion
  std::vector<std::vector<std::size_t>> stages_;  ///< by rank
  std::vector<knowledge> ends_;                   ///< at_end, in the order of completion
  std::map<counter, std::vector<step_name>> signals_;
  std::vector<std::vector<step_name>> needed_;  ///< by position: the signals that an await needs
};

}  // namespace upwash::schedule::detail
