// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Statistics for searches with noisy samples.
#pragma once

#include <span>
#include <vector>

namespace upwash::tuning {

/// Returns the middle value; for an even number of values the upper of the two; 0 for none. O(n).
[[nodiscard]] double median_of(std::vector<double> values);

/// A mean and its confidence interval.
struct estimate {
  double mean = 0;
  double half_width = 0;  ///< of the interval at 95 % (Student's t); infinite below two samples
};
[[nodiscard]] estimate estimate_of(std::span<const double> values);

/// Returns Kendall's tau-b of two rankings of the same things by value: 1 for the same order, -1
/// for the reverse, 0 for none. Ties count for neither side. NaN if either ranking has only ties.
/// O(n^2).
[[nodiscard]] double kendall_tau(std::span<const double> a, std::span<const double> b);

}  // namespace upwash::tuning
