// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The conjugate-gradient iteration with diagonal preconditioning, as one rank runs it on its rows.
// What needs the other ranks comes in as functions, so the serial solve is the same code.
#pragma once

#include <span>
#include <vector>

#include "apps/common/csr.hpp"
#include "upwash/base/function_ref.hpp"

namespace cg {

struct limits {
  double tolerance = 1e-8;  ///< of |residual| / |right-hand side|
  int iterations = 10000;
};

enum class ending { converged, out_of_iterations, not_positive_definite };

struct solution {
  std::vector<double> x;  ///< my rows
  int iterations = 0;     ///< complete ones
  ending ended = ending::out_of_iterations;
};

/// product = A * vector, both my rows. Called by all ranks together.
using multiply_function = upwash::function_ref<void(std::span<const double>, std::span<double>)>;
/// Replaces each number by its sum over the ranks, in any order. Called by all ranks together.
using sum_function = upwash::function_ref<void(std::span<double>)>;

/// Solves A x = b from x = 0 for my rows of a symmetric A with this diagonal. Each iteration
/// multiplies once and sums twice. Ranks stay together even where sums round differently on them:
/// they end on counts of votes, which are exact. It ends when the tolerance is met, after as many
/// iterations as are allowed, or when a direction shows that A is not positive definite.
[[nodiscard]] solution solve(std::span<const double> diagonal, std::span<const double> b,
                             const limits& until, multiply_function multiply, sum_function sum);

/// The same by one rank alone.
[[nodiscard]] solution solve_serially(const sparse::coordinate_matrix& matrix,
                                      std::span<const double> b, const limits& until);

/// |b - A x| / |b| by the whole matrix; not divided where b is zero.
[[nodiscard]] double relative_residual(const sparse::csr_matrix& a, std::span<const double> x,
                                       std::span<const double> b);

/// Throws `error` (configuration) that names the first entry that keeps the matrix from being
/// square, symmetric and of positive diagonal. O(entries log entries).
void check_symmetric(const sparse::coordinate_matrix& matrix);

/// Of the rows of `block`. The matrix has passed `check_symmetric`.
[[nodiscard]] std::vector<double> diagonal_of(const sparse::coordinate_matrix& matrix,
                                              sparse::row_block block);

}  // namespace cg
