// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/common/csr.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/base/random.hpp"

namespace {

using sparse::csr_matrix;

/// About a quarter of the entries, small whole numbers: all sums are exact.
sparse::coordinate_matrix random_matrix(int rows, int columns, std::uint64_t seed) {
  sparse::coordinate_matrix matrix{rows, columns, {}};
  upwash::random_stream numbers(seed, 0);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      if (numbers.below(4) != 0) continue;
      matrix.entries.push_back({i, j, static_cast<double>(numbers.below(19)) - 9});
    }
  }
  return matrix;
}

std::vector<double> dense_of(const csr_matrix& matrix) {
  const auto columns = static_cast<std::size_t>(matrix.columns);
  std::vector<double> result(static_cast<std::size_t>(matrix.rows) * columns);
  for (std::size_t row = 0; row < static_cast<std::size_t>(matrix.rows); ++row) {
    for (auto at = matrix.starts[row]; at < matrix.starts[row + 1]; ++at) {
      const auto entry = static_cast<std::size_t>(at);
      result[row * columns + static_cast<std::size_t>(matrix.indices[entry])] +=
          matrix.values[entry];
    }
  }
  return result;
}

std::vector<double> dense_product(const std::vector<double>& a, const std::vector<double>& b,
                                  std::size_t rows, std::size_t middle, std::size_t columns) {
  std::vector<double> c(rows * columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      for (std::size_t k = 0; k < middle; ++k)
        c[i * columns + j] += a[i * middle + k] * b[k * columns + j];
    }
  }
  return c;
}

TEST(block_of, blocks_cover_all_rows_in_order) {
  for (const int rows : {1, 2, 7, 100}) {
    for (const int ranks : {1, 2, 3, 8, 33}) {
      int next = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const auto block = sparse::block_of(rows, ranks, rank);
        EXPECT_EQ(block.first, next);
        const int share = (rows + ranks - 1) / ranks;
        EXPECT_EQ(block.count, std::min(share, rows - next));  // full ones first
        next += block.count;
      }
      EXPECT_EQ(next, rows);
    }
  }
}

TEST(csr, blocks_put_together_are_the_whole) {
  const auto matrix = random_matrix(17, 11, 1);
  const auto whole = sparse::make_csr(matrix);
  csr_matrix joined;
  joined.columns = 11;
  for (int rank = 0; rank < 5; ++rank) {
    const auto part = sparse::make_csr(matrix, sparse::block_of(17, 5, rank));
    const auto base = joined.starts.back();
    for (std::size_t i = 1; i < part.starts.size(); ++i)
      joined.starts.push_back(base + part.starts[i]);
    joined.indices.insert(joined.indices.end(), part.indices.begin(), part.indices.end());
    joined.values.insert(joined.values.end(), part.values.begin(), part.values.end());
    joined.rows += part.rows;
  }
  EXPECT_EQ(joined, whole);
}

TEST(csr, product_with_a_dense_block_is_the_dense_product) {
  const auto a = sparse::make_csr(random_matrix(13, 9, 2));
  for (const int columns : {1, 3, 8}) {
    const auto width = static_cast<std::size_t>(columns);
    std::vector<double> b(9 * width);
    upwash::random_stream numbers(3, 0);
    for (auto& each : b) each = static_cast<double>(numbers.below(10));
    std::vector<double> c(13 * width, 99.0);
    sparse::multiply_dense(a, b, columns, c);
    EXPECT_EQ(c, dense_product(dense_of(a), b, 13, 9, width));
  }
}

TEST(csr, sparse_product_is_the_dense_product) {
  const auto a = sparse::make_csr(random_matrix(13, 9, 4));
  const auto b = sparse::make_csr(random_matrix(9, 21, 5));
  const auto c = sparse::multiply_sparse(a, b);
  EXPECT_EQ(c.rows, 13);
  EXPECT_EQ(c.columns, 21);
  EXPECT_EQ(dense_of(c), dense_product(dense_of(a), dense_of(b), 13, 9, 21));
  for (std::size_t row = 0; row < 13; ++row) {
    EXPECT_TRUE(
        std::is_sorted(c.indices.begin() + c.starts[row], c.indices.begin() + c.starts[row + 1]));
  }
}

TEST(csr, sparse_product_agrees_with_dense_columns_on_a_real_matrix) {
  const auto matrix = sparse::read_matrix_market(UPWASH_SOURCE_DIR "/data/matrices/cage7.mtx");
  const auto a = sparse::make_csr(matrix);
  const auto squared = sparse::multiply_sparse(a, a);
  std::vector<double> c(static_cast<std::size_t>(a.rows) * static_cast<std::size_t>(a.columns));
  sparse::multiply_dense(a, dense_of(a), a.columns, c);
  EXPECT_EQ(dense_of(squared), c);
}

TEST(csr, empty_blocks_multiply_to_empty_ones) {
  const auto matrix = random_matrix(3, 3, 6);
  const auto empty = sparse::make_csr(matrix, sparse::block_of(3, 4, 3));
  EXPECT_EQ(empty.rows, 0);
  const auto c = sparse::multiply_sparse(empty, sparse::make_csr(matrix));
  EXPECT_EQ(c.rows, 0);
  EXPECT_TRUE(c.indices.empty());
}

TEST(csr, shapes_that_do_not_agree_are_an_error) {
  const auto a = sparse::make_csr(random_matrix(3, 4, 7));
  try {
    static_cast<void>(sparse::multiply_sparse(a, a));
    FAIL() << "no error";
  } catch (const upwash::error& failure) {
    EXPECT_STREQ(failure.what(), "a 3 x 4 matrix times one of 3 rows; they must agree");
  }
}

TEST(owners_of_columns, are_those_that_rows_name) {
  // Two columns an owner; the last owner of three has one.
  const csr_matrix a{
      .rows = 3, .columns = 5, .starts = {0, 2, 2, 3}, .indices = {1, 4, 0}, .values = {2, 3, 5}};
  EXPECT_EQ(sparse::owners_of_columns(a, 3), (std::vector<int>{0, 2}));
  EXPECT_EQ(sparse::owners_of_columns(a, 1), (std::vector<int>{0}));
  EXPECT_EQ(sparse::owners_of_columns(a, 7), (std::vector<int>{0, 1, 4}));
  const csr_matrix none{.rows = 1, .columns = 5, .starts = {0, 0}, .indices = {}, .values = {}};
  EXPECT_TRUE(sparse::owners_of_columns(none, 3).empty());
  const csr_matrix here = sparse::on_blocks_of(a, std::vector<int>{0, 2}, 3);
  EXPECT_EQ(here.columns, 4);
  EXPECT_EQ(here.indices, (std::vector<int>{1, 2, 0}));
  EXPECT_EQ(here.starts, a.starts);
  EXPECT_EQ(here.values, a.values);
  // Of all owners nothing moves, but the last block is as long as the others.
  const csr_matrix all = sparse::on_blocks_of(a, std::vector<int>{0, 1, 2}, 3);
  EXPECT_EQ(all.columns, 6);
  EXPECT_EQ(all.indices, a.indices);
}

/// Each rank's rows times the blocks that they name alone are the rows of the whole product.
TEST(on_blocks_of, gives_the_product_of_the_whole) {
  for (const int ranks : {1, 2, 3, 5, 40}) {
    auto matrix = random_matrix(23, 31, static_cast<std::uint64_t>(ranks));
    // Few enough entries that owners are left out.
    std::erase_if(matrix.entries,
                  [&](const auto& each) { return (each.row * 7 + each.column) % 5 != 0; });
    const auto b = dense_of(sparse::make_csr(random_matrix(31, 3, 9)));
    const int share = sparse::block_of(31, ranks, 0).count;
    std::size_t left_out = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const auto mine = sparse::make_csr(matrix, sparse::block_of(23, ranks, rank));
      const auto owners = sparse::owners_of_columns(mine, ranks);
      left_out += static_cast<std::size_t>(ranks) - owners.size();
      std::vector<double> came;
      for (const int owner : owners) {
        auto block = sparse::block_of(31, ranks, owner);
        const auto first = b.begin() + block.first * 3;
        came.insert(came.end(), first, first + block.count * 3);
        came.resize(came.size() + static_cast<std::size_t>(share - block.count) * 3, -1.0);
      }
      std::vector<double> whole(static_cast<std::size_t>(mine.rows) * 3);
      std::vector<double> part(whole.size());
      sparse::multiply_dense(mine, b, 3, whole);
      sparse::multiply_dense(sparse::on_blocks_of(mine, owners, ranks), came, 3, part);
      EXPECT_EQ(part, whole) << rank << " of " << ranks;
    }
    EXPECT_EQ(left_out > 0, ranks > 3) << ranks;
  }
}

}  // namespace
