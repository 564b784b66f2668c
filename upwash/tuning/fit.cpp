// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/tuning/fit.hpp"

#include <algorithm>
#include <cmath>

namespace upwash::tuning {

line_fit fit_line(std::span<const timed_size> points) {
  // Weights 1 / ns^2 make the errors relative.
  double weight = 0;
  double mean_size = 0;
  double mean_time = 0;
  for (const timed_size& each : points) {
    const double w = 1 / (each.ns * each.ns);
    weight += w;
    mean_size += w * static_cast<double>(each.bytes);
    mean_time += w * each.ns;
  }
  mean_size /= weight;
  mean_time /= weight;
  double along = 0;
  double across = 0;
  for (const timed_size& each : points) {
    const double w = 1 / (each.ns * each.ns);
    const double size = static_cast<double>(each.bytes) - mean_size;
    along += w * size * size;
    across += w * size * (each.ns - mean_time);
  }
  line_fit found;
  found.beta_ns_per_byte = across / along;
  found.alpha_ns = mean_time - found.beta_ns_per_byte * mean_size;
  for (const timed_size& each : points) {
    found.worst = std::max(found.worst, std::abs(found.at(each.bytes) - each.ns) / each.ns);
  }
  return found;
}

piecewise_fit fit_pieces(std::span<const timed_size> points) {
  piecewise_fit best{.small = fit_line(points), .large = {}};
  const double whole = best.worst();
  for (std::size_t split = 2; split + 2 <= points.size(); ++split) {
    const piecewise_fit two{fit_line(points.first(split)), fit_line(points.subspan(split)),
                            points[split].bytes};
    const bool makes_sense = two.small.beta_ns_per_byte > 0 && two.large.beta_ns_per_byte > 0 &&
                             two.small.alpha_ns > 0 && two.large.alpha_ns > 0;
    if (makes_sense && two.worst() < best.worst() && two.worst() < whole / 2) best = two;
  }
  return best;
}

}  // namespace upwash::tuning
