// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Searches the candidates of a call by measuring: in predicted order with an early stop, or all of
// them. Source: Nishtala 2009, "Guided Search".
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
  bool exhaustive = false;  ///< all candidates with all samples; the reference for guided search
  double budget_seconds = 60;
  double share = 1;               ///< at most this share of the candidates: 0 < share <= 1
  int samples = 7;                ///< of a candidate, at most; in virtual time one is enough
  double sample_seconds = 0.002;  ///< intended length of one sample
  /// A guided search ends after this number of candidates in a row without an improvement of 2 %;
  /// in virtual time at most 1.
  int patience = 5;
};

/// One measured candidate, in the order of measuring.
struct measured {
  std::string algorithm;
  double predicted_ns = 0;  ///< 0: not priced
  double ns = 0;            ///< of a call
  std::uint32_t samples = 0;
  double seconds = 0;  ///< from the begin of the search to the end of this measurement
};

struct search_outcome {
  finding found;
  std::vector<measured> order;  ///< the first is the choice without tuning
  std::string ended;            ///< the reason for the end
};

/// The progress after each candidate, reported at rank 0.
struct search_progress {
  std::size_t done = 0;
  std::size_t all = 0;
  const measured* best = nullptr;
  double seconds_left = 0;
};

/// Measures candidates of the call (problem_on) on the world of `here`: first `untuned`, then in
/// the order of `ranking`. Relatives of a candidate come somewhat later; relatives of a winner come
/// first. Each candidate is measured alternately with the best so far, until a test on the ratios
/// (95 %) decides. Only samples between which the cores did not move are kept.
///
/// The search ends by budget, share or patience, or when the model, with its error so far, excludes
/// a better candidate. The outcome is valid at rank 0 and empty elsewhere. Collective over the
/// world, blocking. Throws `error` (argument) for a budget or share of zero.
[[nodiscard]] search_outcome search(job& here, const collective::problem& call,
                                    const collective::selection& untuned,
                                    const std::vector<collective::ranked>& ranking,
                                    const search_options& options,
                                    function_ref<void(const search_progress&)> report);

/// Returns the guided order: by prediction, with a growing handicap for later candidates of one
/// algorithm or of one price. Relatives of a loser then do not use up the patience.
[[nodiscard]] std::vector<collective::ranked> guided_order(
    const std::vector<collective::ranked>& ranking);

}  // namespace upwash::tuning
