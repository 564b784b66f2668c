// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Prices of one problem: what takes the same steps is priced once.
#pragma once

#include <cstdint>
#include <map>

#include "upwash/collective/candidates.hpp"

namespace upwash::collective::detail {

/// Predictions for one problem.
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
  struct known {
    predictor::prediction found;
    duration enough;  ///< as far as it was priced
  };
  std::map<std::uint64_t, known> known_;
};

}  // namespace upwash::collective::detail
