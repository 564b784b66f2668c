// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cg/solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <tuple>

#include "upwash/base/error.hpp"

namespace cg {
namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// to += factor * from
void add(std::span<double> to, double factor, std::span<const double> from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * from[i];
}

/// Entries are sorted by row, then column: the value at a place, 0 where there is none.
double value_at(const sparse::coordinate_matrix& matrix, int row, int column) {
  const auto before = [](const sparse::entry& each, const std::pair<int, int>& place) {
    return std::tie(each.row, each.column) < std::tie(place.first, place.second);
  };
  const auto found = std::lower_bound(matrix.entries.begin(), matrix.entries.end(),
                                      std::pair(row, column), before);
  const bool there = found != matrix.entries.end() && found->row == row && found->column == column;
  return there ? found->value : 0;
}

[[noreturn]] void refuse(const std::string& what) {
  throw upwash::error(upwash::error_kind::configuration, what);
}

}  // namespace

solution solve(std::span<const double> diagonal, std::span<const double> b, const limits& until,
               multiply_function multiply, sum_function sum) {
  solution found{.x = std::vector<double>(b.size())};
  std::vector<double> residual(b.begin(), b.end());
  std::vector<double> conditioned(b.size());
  std::vector<double> product(b.size());
  const auto condition = [&] {
    for (std::size_t i = 0; i < b.size(); ++i) conditioned[i] = residual[i] / diagonal[i];
  };
  condition();
  std::vector<double> direction = conditioned;
  std::array start{dot(residual, conditioned), dot(b, b)};
  sum(start);
  double size = start[0];
  const double enough = until.tolerance * until.tolerance * start[1];
  bool met = start[1] <= enough;

  for (;;) {
    multiply(direction, product);
    std::array curvature{dot(direction, product), met ? 1.0 : 0.0};
    sum(curvature);
    if (curvature[1] > 0) found.ended = ending::converged;
    if (curvature[1] > 0 || found.iterations == until.iterations) return found;
    const bool broken = !(curvature[0] > 0);
    const double step = broken ? 0 : size / curvature[0];
    add(found.x, step, direction);
    add(residual, -step, product);
    condition();
    std::array next{dot(residual, conditioned), dot(residual, residual), broken ? 1.0 : 0.0};
    sum(next);
    if (next[2] > 0) {
      found.ended = ending::not_positive_definite;
      return found;
    }
    for (std::size_t i = 0; i < b.size(); ++i) {
      direction[i] = conditioned[i] + next[0] / size * direction[i];
    }
    size = next[0];
    met = next[1] <= enough;
    ++found.iterations;
  }
}

solution solve_serially(const sparse::coordinate_matrix& matrix, std::span<const double> b,
                        const limits& until) {
  const auto a = sparse::make_csr(matrix);
  const auto diagonal = diagonal_of(matrix, {0, matrix.rows});
  return solve(
      diagonal, b, until,
      [&](std::span<const double> vector, std::span<double> product) {
        sparse::multiply_dense(a, vector, 1, product);
      },
      [](std::span<double>) {});
}

double relative_residual(const sparse::csr_matrix& a, std::span<const double> x,
                         std::span<const double> b) {
  std::vector<double> rest(b.size());
  sparse::multiply_dense(a, x, 1, rest);
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = b[i] - rest[i];
  const double scale = dot(b, b);
  return std::sqrt(dot(rest, rest) / (scale > 0 ? scale : 1));
}

void check_symmetric(const sparse::coordinate_matrix& matrix) {
  if (matrix.rows != matrix.columns) {
    refuse(fmt::format("{} x {}; expected a square matrix", matrix.rows, matrix.columns));
  }
  for (const auto& each : matrix.entries) {
    const double other = value_at(matrix, each.column, each.row);
    if (each.value != other) {
      refuse(fmt::format("({}, {}) is {} and ({}, {}) is {}; expected a symmetric matrix",
                         each.row + 1, each.column + 1, each.value, each.column + 1, each.row + 1,
                         other));
    }
  }
  for (int row = 0; row < matrix.rows; ++row) {
    if (const double value = value_at(matrix, row, row); !(value > 0)) {
      refuse(fmt::format("({0}, {0}) is {1}; expected a positive diagonal", row + 1, value));
    }
  }
}

std::vector<double> diagonal_of(const sparse::coordinate_matrix& matrix, sparse::row_block block) {
  std::vector<double> diagonal;
  for (int row = block.first; row < block.first + block.count; ++row) {
    diagonal.push_back(value_at(matrix, row, row));
  }
  return diagonal;
}

}  // namespace cg
