// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fits costs to measured times: lines through points, in one piece or several.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace upwash::tuning {

struct timed_size {
  std::uint64_t bytes = 0;
  double ns = 0;
};

/// ns = alpha + bytes * beta, by least squares of the relative errors. Small messages count as much
/// as large ones.
struct line_fit {
  double alpha_ns = 0;
  double beta_ns_per_byte = 0;
  double worst = 0;  ///< largest relative error of a point: 0.1 is 10 %
  [[nodiscard]] double at(std::uint64_t bytes) const {
    return alpha_ns + static_cast<double>(bytes) * beta_ns_per_byte;
  }
};
/// Fits a line. Needs at least two different sizes. O(n).
[[nodiscard]] line_fit fit_line(std::span<const timed_size> points);

/// Lines, each for the sizes from `from_bytes` up to the next piece.
struct piecewise_fit {
  struct piece {
    std::uint64_t from_bytes = 0;
    line_fit line;
  };
  std::vector<piece> pieces;  ///< by rising size; at least one, the first from 0

  [[nodiscard]] const line_fit& shortest() const { return pieces.front().line; }
  [[nodiscard]] const line_fit& longest() const { return pieces.back().line; }
  [[nodiscard]] double at(std::uint64_t bytes) const;
  [[nodiscard]] double worst() const;  ///< largest relative error of a point
};
/// Fits one line, and up to two more if each halves the worst error and all rise from a positive
/// start: a network may change its protocol twice. `points`: by rising size, at least two. O(n^3).
/// Source: Kumar 2005, 2.4 (QsNet: one pair of alpha and beta for short messages, one for long
/// ones).
[[nodiscard]] piecewise_fit fit_pieces(std::span<const timed_size> points);

}  // namespace upwash::tuning
