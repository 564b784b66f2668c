// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/model/online_search.hpp"

#include <algorithm>
#include <limits>

namespace upwash::model {
namespace {

constexpr std::uint64_t unseen = std::numeric_limits<std::uint64_t>::max();

}  // namespace

online_search::online_search(std::size_t count, const online_settings& with)
    : with_(with), ratios_(std::max<std::size_t>(count, 1), 0) {
  ratios_[0] = 1;
  plan_round();
}

void online_search::took(double ns) noexcept {
  const auto ps = static_cast<std::uint64_t>(std::max(ns, 0.0) * 1e3);
  batches_[batch_] = std::min(batches_[batch_], ps);
}

/// Those never compared first, in predicted order, then by how near they came.
void online_search::plan_round() {
  rivals_.clear();
  if (challenger_ != none) {
    rivals_.push_back(challenger_);
  } else {
    for (std::size_t i = 0; i < ratios_.size(); ++i) {
      if (i != best_ && ratios_[i] < with_.hopeless) rivals_.push_back(i);
    }
    std::stable_sort(rivals_.begin(), rivals_.end(),
                     [&](std::size_t a, std::size_t b) { return ratios_[a] < ratios_[b]; });
    const auto most = static_cast<std::size_t>(with_.rivals);
    if (rivals_.size() > most) rivals_.resize(most);
  }
  batches_.assign(rivals_.empty() ? 0 : 2 * rivals_.size() + 1, unseen);
  batch_ = 0;
  start_batch();
}

void online_search::start_batch() {
  if (rivals_.empty()) {  // nothing will ever change
    now_ = {best_, unseen, false};
    return;
  }
  const bool rival = batch_ % 2 == 1;
  now_ = {rival ? rivals_[batch_ / 2] : best_, static_cast<std::uint64_t>(with_.calls_a_batch),
          true};
}

bool online_search::next() {
  if (!now_.timed) {
    plan_round();
    return false;
  }
  if (++batch_ < batches_.size()) {
    start_batch();
    return false;
  }
  for (std::uint64_t& each : batches_) {
    if (each == unseen) each = 0;
  }
  return true;
}

void online_search::agree(std::span<const std::uint64_t> sums) {
  std::size_t winner = none;
  for (std::size_t i = 0; i < rivals_.size(); ++i) {
    const auto before = static_cast<double>(sums[2 * i]);
    const auto own = static_cast<double>(sums[2 * i + 1]);
    const auto after = static_cast<double>(sums[2 * i + 2]);
    const bool steady = std::max(before, after) <= with_.steady * std::min(before, after);
    if (!steady || before <= 0) continue;
    double& ratio = ratios_[rivals_[i]];
    ratio = 2 * own / (before + after);
    if (ratio * with_.worthwhile < 1 && (winner == none || ratio < ratios_[winner])) {
      winner = rivals_[i];
    }
  }
  ++rounds_;
  if (winner != none && winner == challenger_) {
    // Ratios are to the best of then.
    const double scale = ratios_[winner];
    for (double& each : ratios_) each /= scale;
    best_ = winner;
    challenger_ = none;
    rest(true);
  } else if (winner != none) {
    challenger_ = winner;
    plan_round();
  } else {
    const bool was_challenged = challenger_ != none;
    challenger_ = none;
    rest(was_challenged);
  }
}

void online_search::rest(bool changed) {
  const std::uint64_t trials = rivals_.size() * static_cast<std::size_t>(with_.calls_a_batch);
  const std::uint64_t least = trials * with_.rest_a_trial;
  rest_ = changed ? least : std::clamp(2 * rest_, least, std::max(least, with_.most_rest));
  now_ = {best_, rest_, false};
}

}  // namespace upwash::model
