// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/tuning/fit.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

namespace upwash::tuning {

namespace {

double worst_of(const line_fit& line, std::span<const timed_size> points) {
  double worst = 0;
  for (const timed_size& each : points) {
    worst = std::max(worst, std::abs(line.at(each.bytes) - each.ns) / each.ns);
  }
  return worst;
}

}  // namespace

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
  found.worst = worst_of(found, points);
  return found;
}

double piecewise_fit::at(std::uint64_t bytes) const {
  const auto behind = std::find_if(pieces.begin() + 1, pieces.end(),
                                   [&](const piece& each) { return each.from_bytes > bytes; });
  return std::prev(behind)->line.at(bytes);
}

double piecewise_fit::worst() const {
  double most = 0;
  for (const piece& each : pieces) most = std::max(most, each.line.worst);
  return most;
}

namespace {

constexpr std::size_t least_points = 2;  ///< of a piece
constexpr std::size_t most_pieces = 3;
constexpr double well_fitted = 0.02;  ///< then another piece says nothing

/// As fit_line; level where sizes that cost the same seem to get cheaper.
line_fit fit_rising(std::span<const timed_size> points) {
  line_fit found = fit_line(points);
  if (found.beta_ns_per_byte > 0) return found;
  const auto [least, most] = std::minmax_element(
      points.begin(), points.end(), [](const auto& a, const auto& b) { return a.ns < b.ns; });
  found = {2 / (1 / least->ns + 1 / most->ns), 0, 0};
  found.worst = worst_of(found, points);
  return found;
}

/// The best of all ways to put so many pieces; none where no way makes sense.
std::vector<piecewise_fit::piece> best_pieces(std::span<const timed_size> points,
                                              std::size_t count) {
  if (count == 1) return {{0, fit_rising(points)}};
  std::vector<piecewise_fit::piece> best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t split = least_points * (count - 1); split + least_points <= points.size();
       ++split) {
    const line_fit last = fit_rising(points.subspan(split));
    if (last.alpha_ns <= 0 || last.worst >= least) continue;
    piecewise_fit all{best_pieces(points.first(split), count - 1)};
    if (all.pieces.empty() || all.shortest().alpha_ns <= 0 || all.worst() >= least) continue;
    all.pieces.push_back({points[split].bytes, last});
    least = all.worst();
    best = std::move(all.pieces);
  }
  return best;
}

}  // namespace

piecewise_fit fit_pieces(std::span<const timed_size> points) {
  piecewise_fit best{best_pieces(points, 1)};
  for (std::size_t count = 2; count <= most_pieces && best.worst() > well_fitted; ++count) {
    piecewise_fit more{best_pieces(points, count)};
    if (!more.pieces.empty() && more.worst() < best.worst() / 2) best = std::move(more);
  }
  return best;
}

}  // namespace upwash::tuning
