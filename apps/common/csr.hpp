// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sparse matrices by compressed rows, and the serial products that blocks of rows need.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "apps/common/matrix_market.hpp"

namespace sparse {

/// Consecutive rows that a rank owns.
struct row_block {
  int first = 0;
  int count = 0;
  friend bool operator==(const row_block&, const row_block&) = default;
};

/// Contiguous blocks of ceil(rows / ranks) rows each; the last ones have fewer, or none: where all
/// ranks send as much, what they gather is the whole, with some room behind it.
[[nodiscard]] row_block block_of(int rows, int ranks, int rank);

/// Row i has columns and values [starts[i], starts[i + 1]), columns ascending.
/// Memory: 8 bytes a row, 12 an entry.
struct csr_matrix {
  int rows = 0;
  int columns = 0;
  std::vector<std::int64_t> starts{0};
  std::vector<int> indices;
  std::vector<double> values;
  friend bool operator==(const csr_matrix&, const csr_matrix&) = default;
};

/// The rows of `block` as a matrix of their own.
[[nodiscard]] csr_matrix make_csr(const coordinate_matrix& matrix, row_block block);
[[nodiscard]] csr_matrix make_csr(const coordinate_matrix& matrix);

/// The ranks whose rows of B a block of rows of A needs: those that own its columns, ascending.
[[nodiscard]] std::vector<int> owners_of_columns(const csr_matrix& a, int ranks);

/// `a` for a B of which the blocks of these owners are here, one behind the other, each as long as
/// the longest: columns are renumbered, their order stays. `owners` are ascending, and among them
/// are those of all columns of `a`.
[[nodiscard]] csr_matrix on_blocks_of(const csr_matrix& a, std::span<const int> owners, int ranks);

/// c = a * b with b of a.columns x `columns` and c of a.rows x `columns`, both by rows. Sums run
/// in the order of a row's columns: blocks of rows give bitwise what the whole gives.
void multiply_dense(const csr_matrix& a, std::span<const double> b, int columns,
                    std::span<double> c);

/// a * b, both sparse: row by row with a dense accumulator (Gustavson 1978). Entries that cancel
/// to zero are kept. Memory: 12 bytes a column of b beside the result.
[[nodiscard]] csr_matrix multiply_sparse(const csr_matrix& a, const csr_matrix& b);

}  // namespace sparse
