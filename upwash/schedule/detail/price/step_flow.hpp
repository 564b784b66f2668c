// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How a rank gets on: steps that are done free others, and make room for more.
#pragma once

#include "upwash/schedule/detail/price/agenda.hpp"
#include "upwash/schedule/detail/price/rank_windows.hpp"
#include "upwash/schedule/detail/price/repeated_rounds.hpp"
#include "upwash/schedule/detail/price/walked_ranks.hpp"
#include "upwash/schedule/price.hpp"

namespace upwash::schedule::detail {

/// Owns nothing: the one way by which steps begin to wait and end. Used against the windows, the
/// rounds that repeat and whoever traces.
class step_flow {
 public:
  /// What it is used against.
  struct uses {
    const price_options& options;
    const walked_ranks& team;
    agenda& events;
    rank_windows& windows;
    repeated_rounds& rounds;
  };
  explicit step_flow(const uses& all) : uses_(all) {}

  /// The first steps of a rank.
  void start(int rank) { refill(rank); }
  /// A step is done.
  void finish(int rank, step_number n, duration at);

 private:
  void refill(int rank);
  [[noreturn]] void refuse(int member, step_number n, const step& s) const;

  uses uses_;
};

}  // namespace upwash::schedule::detail
