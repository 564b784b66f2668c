// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/common/csr.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"

namespace sparse {
namespace {

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

[[noreturn]] void refuse_shapes(const csr_matrix& a, int b_rows) {
  throw upwash::error(upwash::error_kind::argument,
                      fmt::format("a {} x {} matrix times one of {} rows; they must agree", a.rows,
                                  a.columns, b_rows));
}

/// One row of a sparse product. `last_row` says for which row a column was last seen.
class accumulator {
 public:
  explicit accumulator(int columns) : sums_(index(columns)), last_row_(index(columns), -1) {}

  void add(int row, int column, double value) {
    if (last_row_[index(column)] != row) {
      last_row_[index(column)] = row;
      sums_[index(column)] = 0;
      seen_.push_back(column);
    }
    sums_[index(column)] += value;
  }

  void move_to(csr_matrix& c) {
    std::sort(seen_.begin(), seen_.end());
    for (const int column : seen_) {
      c.indices.push_back(column);
      c.values.push_back(sums_[index(column)]);
    }
    c.starts.push_back(std::ssize(c.indices));
    seen_.clear();
  }

 private:
  std::vector<double> sums_;
  std::vector<int> last_row_;
  std::vector<int> seen_;
};

}  // namespace

row_block block_of(int rows, int ranks, int rank) {
  const int share = (rows + ranks - 1) / ranks;
  const int first = static_cast<int>(std::min<std::int64_t>(std::int64_t{rank} * share, rows));
  return {first, std::min(share, rows - first)};
}

csr_matrix make_csr(const coordinate_matrix& matrix, row_block block) {
  const auto& entries = matrix.entries;
  const auto before = [](const entry& each, int row) { return each.row < row; };
  auto next = std::lower_bound(entries.begin(), entries.end(), block.first, before);
  csr_matrix result;
  result.rows = block.count;
  result.columns = matrix.columns;
  result.starts.reserve(index(block.count) + 1);
  for (int row = block.first; row < block.first + block.count; ++row) {
    for (; next != entries.end() && next->row == row; ++next) {
      result.indices.push_back(next->column);
      result.values.push_back(next->value);
    }
    result.starts.push_back(std::ssize(result.indices));
  }
  return result;
}

csr_matrix make_csr(const coordinate_matrix& matrix) { return make_csr(matrix, {0, matrix.rows}); }

std::vector<int> owners_of_columns(const csr_matrix& a, int ranks) {
  const int share = block_of(a.columns, ranks, 0).count;
  std::vector<bool> named(index(ranks));
  for (const int column : a.indices) named[index(column / share)] = true;
  std::vector<int> owners;
  for (int rank = 0; rank < ranks; ++rank) {
    if (named[index(rank)]) owners.push_back(rank);
  }
  return owners;
}

csr_matrix on_blocks_of(const csr_matrix& a, std::span<const int> owners, int ranks) {
  const int share = block_of(a.columns, ranks, 0).count;
  std::vector<int> moved(index(ranks));  // by how much the columns of an owner are
  for (std::size_t i = 0; i < owners.size(); ++i) {
    moved[index(owners[i])] = (static_cast<int>(i) - owners[i]) * share;
  }
  csr_matrix result = a;
  result.columns = static_cast<int>(owners.size()) * share;
  for (int& column : result.indices) column += moved[index(column / share)];
  return result;
}

void multiply_dense(const csr_matrix& a, std::span<const double> b, int columns,
                    std::span<double> c) {
  const std::size_t width = index(columns);
  if (b.size() != index(a.columns) * width) {
    refuse_shapes(a, width == 0 ? 0 : static_cast<int>(b.size() / width));
  }
  std::fill(c.begin(), c.end(), 0.0);
  for (int row = 0; row < a.rows; ++row) {
    double* const sum = c.data() + index(row) * width;
    for (auto at = a.starts[index(row)]; at < a.starts[index(row) + 1]; ++at) {
      const double value = a.values[index(at)];
      const double* const from = b.data() + index(a.indices[index(at)]) * width;
      for (std::size_t j = 0; j < width; ++j) sum[j] += value * from[j];
    }
  }
}

csr_matrix multiply_sparse(const csr_matrix& a, const csr_matrix& b) {
  if (a.columns != b.rows) refuse_shapes(a, b.rows);
  csr_matrix c;
  c.rows = a.rows;
  c.columns = b.columns;
  accumulator sums(b.columns);
  for (int row = 0; row < a.rows; ++row) {
    for (auto at = a.starts[index(row)]; at < a.starts[index(row) + 1]; ++at) {
      const auto middle = index(a.indices[index(at)]);
      const double value = a.values[index(at)];
      for (auto from = b.starts[middle]; from < b.starts[middle + 1]; ++from) {
        sums.add(row, b.indices[index(from)], value * b.values[index(from)]);
      }
    }
    sums.move_to(c);
  }
  return c;
}

}  // namespace sparse
