// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "apps/cg/solver.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/random.hpp"

namespace {

using sparse::coordinate_matrix;

/// The second difference on a line of `rows` points: positive definite.
coordinate_matrix second_difference(int rows) {
  coordinate_matrix matrix{rows, rows, {}};
  for (int i = 0; i < rows; ++i) {
    if (i > 0) matrix.entries.push_back({i, i - 1, -1});
    matrix.entries.push_back({i, i, 2});
    if (i + 1 < rows) matrix.entries.push_back({i, i + 1, -1});
  }
  return matrix;
}

/// Symmetric, with a diagonal that dominates: positive definite.
coordinate_matrix random_matrix(int rows, std::uint64_t seed) {
  upwash::random_stream numbers(seed, 0);
  std::map<std::pair<int, int>, double> values;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < i; ++j) {
      if (numbers.below(3) != 0) continue;
      values[{i, j}] = values[{j, i}] = numbers.fraction() - 0.5;
    }
    values[{i, i}] = 0.5 * rows + numbers.fraction() * 100;
  }
  coordinate_matrix matrix{rows, rows, {}};
  for (const auto& [place, value] : values) {
    matrix.entries.push_back({place.first, place.second, value});
  }
  return matrix;
}

std::vector<double> times(const coordinate_matrix& matrix, const std::vector<double>& x) {
  std::vector<double> product(x.size());
  sparse::multiply_dense(sparse::make_csr(matrix), x, 1, product);
  return product;
}

std::string refusal(const coordinate_matrix& matrix) {
  try {
    cg::check_symmetric(matrix);
  } catch (const upwash::error& refused) {
    return refused.what();
  }
  return "accepted";
}

TEST(conjugate_gradient, finds_the_solution_that_made_the_right_hand_side) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto matrix = random_matrix(1 + static_cast<int>(3 * seed), seed);
    upwash::random_stream numbers(seed, 1);
    std::vector<double> x(static_cast<std::size_t>(matrix.rows));
    for (double& each : x) each = numbers.fraction() - 0.5;
    const auto b = times(matrix, x);
    const auto found = cg::solve_serially(matrix, b, {.tolerance = 1e-13});
    ASSERT_EQ(found.ended, cg::ending::converged);
    EXPECT_LE(found.iterations, matrix.rows + 2);
    EXPECT_LE(cg::relative_residual(sparse::make_csr(matrix), found.x, b), 1e-12);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(found.x[i], x[i], 1e-10);
  }
}

TEST(conjugate_gradient, takes_as_many_iterations_as_there_are_different_eigenvalues) {
  const auto matrix = second_difference(40);
  std::vector<double> x(40);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i * i % 7);
  const auto found = cg::solve_serially(matrix, times(matrix, x), {.tolerance = 1e-12});
  EXPECT_EQ(found.ended, cg::ending::converged);
  EXPECT_EQ(found.iterations, 40);
}

TEST(conjugate_gradient, stops_at_once_where_nothing_is_to_do) {
  const auto found = cg::solve_serially(second_difference(5), std::vector<double>(5), {});
  EXPECT_EQ(found.ended, cg::ending::converged);
  EXPECT_EQ(found.iterations, 0);
}

TEST(conjugate_gradient, says_when_the_iterations_ran_out) {
  const auto matrix = second_difference(40);
  std::vector<double> x(40);
  x[3] = 1;
  const auto found = cg::solve_serially(matrix, times(matrix, x), {.iterations = 7});
  EXPECT_EQ(found.ended, cg::ending::out_of_iterations);
  EXPECT_EQ(found.iterations, 7);
}

TEST(conjugate_gradient, says_when_the_matrix_is_not_positive_definite) {
  const coordinate_matrix matrix{2, 2, {{0, 0, 1}, {0, 1, -3}, {1, 0, -3}, {1, 1, 1}}};
  const std::vector<double> b{1, 1};
  EXPECT_EQ(cg::solve_serially(matrix, b, {}).ended, cg::ending::not_positive_definite);
}

// Where sums round differently, another rank may find that the tolerance is met before this one
// does: it votes, and this one must end in the same iteration.
TEST(conjugate_gradient, ends_by_the_votes_of_all_and_not_by_its_own_residual) {
  const auto a = sparse::make_csr(second_difference(40));
  const std::vector<double> diagonal(40, 2.0);
  std::vector<double> b(40);
  b[17] = 1;
  int sums = 0;
  const auto found = cg::solve(
      diagonal, b, {},
      [&](std::span<const double> p, std::span<double> product) {
        sparse::multiply_dense(a, p, 1, product);
      },
      [&](std::span<double> numbers) {
        if (++sums == 8) numbers[1] += 1;  // the vote of iteration 4
      });
  EXPECT_EQ(found.ended, cg::ending::converged);
  EXPECT_EQ(found.iterations, 3);
  EXPECT_EQ(sums, 8);
}

TEST(check_symmetric, accepts_what_can_be_solved) {
  EXPECT_EQ(refusal(second_difference(4)), "accepted");
  EXPECT_EQ(refusal(random_matrix(30, 7)), "accepted");
}

TEST(check_symmetric, names_the_entry_that_is_wrong) {
  EXPECT_EQ(refusal({2, 3, {}}), "2 x 3; expected a square matrix");
  EXPECT_EQ(refusal({2, 2, {{0, 0, 1}, {0, 1, 2}, {1, 1, 1}}}),
            "(1, 2) is 2 and (2, 1) is 0; expected a symmetric matrix");
  EXPECT_EQ(refusal({2, 2, {{0, 0, 1}}}), "(2, 2) is 0; expected a positive diagonal");
  EXPECT_EQ(refusal({1, 1, {{0, 0, -4}}}), "(1, 1) is -4; expected a positive diagonal");
}

TEST(diagonal_of, is_that_of_the_block) {
  const auto matrix = random_matrix(9, 3);
  const auto whole = cg::diagonal_of(matrix, {0, 9});
  ASSERT_EQ(whole.size(), 9U);
  EXPECT_EQ(cg::diagonal_of(matrix, {4, 2}), (std::vector<double>{whole[4], whole[5]}));
  EXPECT_TRUE(cg::diagonal_of(matrix, {9, 0}).empty());
}

}  // namespace
