// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Prices of one problem: what takes the same steps is priced once.
#pragma once

#include <cstdint>
#include <map>

#include "upwash/collective/candidates.hpp"

namespace upwash::collective::detail {

/// Predictions for one problem. Whoever asks later asks for at most as long a time (`enough`), as
/// one does who looks for the least.
class shared_prices {
 public:
  shared_prices(const predictor& by, const problem& call) : by_(by), call_(call) {}

  /// As predictor::predict. What has been priced for the same steps before took 0 steps to walk.
  [[nodiscard]] predictor::prediction predict(const selection& one, std::uint64_t most_steps,
                                              duration enough);

 private:
  /// Of the steps of a few ranks, and how they travel.
  [[nodiscard]] std::uint64_t fingerprint(const selection& one) const;

  const predictor& by_;
  const problem& call_;
  std::map<std::uint64_t, predictor::prediction> known_;
};

}  // namespace upwash::collective::detail
