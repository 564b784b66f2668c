// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Searching the candidates of a call by measuring: in predicted order with an early stop, or all.
// Source: Nishtala 2009, "Guided Search".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "upwash/base/function_ref.hpp"
#include "upwash/collective/candidates.hpp"
#include "upwash/core/team.hpp"
#include "upwash/tuning/knowledge.hpp"

namespace upwash::tuning {

struct search_options {
  bool exhaustive = false;  ///< all candidates, with all samples: what guided search is held to
  double budget_seconds = 60;
  double share = 1;               ///< of the candidates, at most: 0 < share <= 1
  int samples = 7;                ///< of a candidate, at most; in virtual time one is enough
  double sample_seconds = 0.002;  ///< aimed length of one
  /// A guided search ends when more in a row did not improve by 2 %; in virtual time at most 1.
  int patience = 5;
};

/// One candidate as the search saw it, in the order measured.
struct measured {
  std::string algorithm;
  double predicted_ns = 0;  ///< 0: not priced
  double ns = 0;            ///< of a call
  std::uint32_t samples = 0;
  double seconds = 0;  ///< from the begin of the search to the end of this one
};

struct search_outcome {
  finding found;
  std::vector<measured> order;  ///< the first is the choice without tuning
  std::string ended;            ///< why
};

/// What a search reports after each candidate, at rank 0.
struct search_progress {
  std::size_t done = 0;
  std::size_t all = 0;
  const measured* best = nullptr;
  double seconds_left = 0;
};

/// Measures candidates of the call (problem_on) on the world of `here`: first `untuned`, then in
/// the order of `ranking`, relatives of a candidate somewhat behind, of one that won first. Each is
/// measured in turn with the best so far; a test on the ratios (95 %) ends it. Only samples between
/// which the cores did not move are kept. The search ends by budget, share, patience, or when no
/// rest can be better by the model, given by how much it was wrong so far. Collective over the
/// world, blocking; the outcome is rank 0's (empty elsewhere). Throws `error` (argument) for a
/// budget or share of nothing.
[[nodiscard]] search_outcome search(job& here, const collective::problem& call,
                                    const collective::selection& untuned,
                                    const std::vector<collective::ranked>& ranking,
                                    const search_options& options,
                                    function_ref<void(const search_progress&)> report);

/// Guided order: by prediction, but of the candidates of one algorithm, or of one price, each later
/// one counts as a bit more expensive, so that relatives of a loser do not use up the patience.
[[nodiscard]] std::vector<collective::ranked> guided_order(
    const std::vector<collective::ranked>& ranking);

}  // namespace upwash::tuning
