// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// From measured times to costs: lines through points, in one piece or two.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace upwash::tuning {

struct timed_size {
  std::uint64_t bytes = 0;
  double ns = 0;
};

/// ns = alpha + bytes * beta, by least squares of the relative errors: small messages count as much
/// as large ones.
struct line_fit {
  double alpha_ns = 0;
  double beta_ns_per_byte = 0;
  double worst = 0;  ///< the largest relative error of a point: 0.1 is 10 %
  [[nodiscard]] double at(std::uint64_t bytes) const {
    return alpha_ns + static_cast<double>(bytes) * beta_ns_per_byte;
  }
};
/// At least two sizes that differ. O(n).
[[nodiscard]] line_fit fit_line(std::span<const timed_size> points);

/// Two lines, one for the sizes below `from_bytes` and one for those from there on, where that
/// halves the worst error of one; else one (from_bytes 0). Source: Kumar 2005, 2.4 (QsNet: one
/// pair of alpha and beta for short messages, one for long ones).
struct piecewise_fit {
  line_fit small;
  line_fit large;
  std::uint64_t from_bytes = 0;  ///< the first size of `large`; 0: `small` alone
  [[nodiscard]] double at(std::uint64_t bytes) const {
    return (from_bytes != 0 && bytes >= from_bytes ? large : small).at(bytes);
  }
  [[nodiscard]] double worst() const noexcept {
    return from_bytes == 0 || small.worst > large.worst ? small.worst : large.worst;
  }
};
/// `points`: by rising size, at least two. O(n^2).
[[nodiscard]] piecewise_fit fit_pieces(std::span<const timed_size> points);

}  // namespace upwash::tuning
