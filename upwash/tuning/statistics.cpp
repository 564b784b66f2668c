// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/tuning/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace upwash::tuning {
namespace {

/// Two-sided, 95 %, by degrees of freedom from 1 on.
constexpr double student[] = {12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                              2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093};
constexpr double normal = 1.96;

}  // namespace

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

estimate estimate_of(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  estimate found;
  for (const double each : values) found.mean += each / n;
  if (values.size() < 2) {
    found.half_width = std::numeric_limits<double>::infinity();
    return found;
  }
  double squares = 0;
  for (const double each : values) squares += (each - found.mean) * (each - found.mean);
  const std::size_t freedom = values.size() - 1;
  const double t = freedom <= std::size(student) ? student[freedom - 1] : normal;
  found.half_width = t * std::sqrt(squares / (n - 1) / n);
  return found;
}

double kendall_tau(std::span<const double> a, std::span<const double> b) {
  double agree = 0;
  double differ_a = 0;
  double differ_b = 0;
  const auto order = [](double x, double y) { return x < y ? -1 : x > y ? 1 : 0; };
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const int of_a = order(a[i], a[j]);
      const int of_b = order(b[i], b[j]);
      agree += of_a * of_b;
      differ_a += of_a * of_a;
      differ_b += of_b * of_b;
    }
  }
  return agree / std::sqrt(differ_a * differ_b);
}

}  // namespace upwash::tuning
