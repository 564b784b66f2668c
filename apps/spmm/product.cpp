// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/spmm/product.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "upwash/base/function_ref.hpp"
#include "upwash/base/random.hpp"
#include "upwash/collective/all_gather.hpp"
#include "upwash/core/control.hpp"

namespace spmm {
namespace {

constexpr std::uint64_t seed = 1;

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

/// Rows of the dense B: the same wherever they are drawn.
std::vector<double> dense_rows(sparse::row_block block, int columns) {
  std::vector<double> rows;
  rows.reserve(index(block.count) * index(columns));
  for (int row = block.first; row < block.first + block.count; ++row) {
    upwash::random_stream numbers(seed, index(row));
    for (int column = 0; column < columns; ++column) rows.push_back(numbers.fraction());
  }
  return rows;
}

/// Runs one gather and one multiplication `repeats` times; the outcome with the median time.
outcome measure(upwash::job& here, int repeats, upwash::function_ref<void()> gather,
                upwash::function_ref<void()> multiply) {
  std::vector<outcome> seen;
  for (int i = 0; i < repeats; ++i) {
    outcome one;
    upwash::control::barrier(here.world());
    const auto start = here.now();
    gather();
    const auto gathered = here.now();
    multiply();
    one.gather = gathered - start;
    one.multiply = here.now() - gathered;
    seen.push_back(one);
  }
  const auto middle = seen.begin() + std::ssize(seen) / 2;
  std::nth_element(seen.begin(), middle, seen.end(), [](const auto& a, const auto& b) {
    return a.gather + a.multiply < b.gather + b.multiply;
  });
  return *middle;
}

/// How many entries of two equally long lists differ.
template <class T>
std::uint64_t differences(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return std::max(a.size(), b.size());
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i] == b[i] ? 0 : 1;
  return count;
}

/// The sparse B: each rank sends its values, then its columns, then how many entries its rows have,
/// in a block that is as long as the longest.
class gathered_rows {
 public:
  gathered_rows(upwash::job& here, const sparse::csr_matrix& mine, int rows)
      : mine_(mine), rows_(rows), share_(sparse::block_of(rows, here.size(), 0).count) {
    counts_.resize(index(here.size()));
    const auto own = static_cast<std::uint64_t>(std::ssize(mine.values));
    upwash::all_gather(here.world(), upwash::blocking, std::span(&own, 1), std::span(counts_));
    most_ = *std::max_element(counts_.begin(), counts_.end());
    block_.resize(block_bytes());
    all_.resize(block_bytes() * counts_.size());
  }

  void gather(upwash::job& here) {
    std::memcpy(block_.data(), mine_.values.data(), mine_.values.size() * sizeof(double));
    std::memcpy(block_.data() + columns_at(), mine_.indices.data(),
                mine_.indices.size() * sizeof(int));
    for (int row = 0; row < mine_.rows; ++row) {
      const auto length = static_cast<int>(mine_.starts[index(row) + 1] - mine_.starts[index(row)]);
      std::memcpy(block_.data() + lengths_at() + index(row) * sizeof(int), &length, sizeof length);
    }
    upwash::all_gather(here.world(), upwash::blocking, std::span<const std::byte>(block_),
                       std::span(all_));
  }

  [[nodiscard]] sparse::csr_matrix matrix() const {
    sparse::csr_matrix result;
    result.rows = rows_;
    result.columns = mine_.columns;
    for (std::size_t rank = 0; rank < counts_.size(); ++rank) {
      const std::byte* block = all_.data() + rank * block_bytes();
      append(result.values, block, counts_[rank]);
      append(result.indices, block + columns_at(), counts_[rank]);
      const auto ranks = static_cast<int>(counts_.size());
      std::vector<int> lengths;
      append(lengths, block + lengths_at(),
             index(sparse::block_of(rows_, ranks, static_cast<int>(rank)).count));
      for (const int length : lengths) result.starts.push_back(result.starts.back() + length);
    }
    return result;
  }

 private:
  [[nodiscard]] std::size_t columns_at() const { return most_ * sizeof(double); }
  [[nodiscard]] std::size_t lengths_at() const { return most_ * (sizeof(double) + sizeof(int)); }
  [[nodiscard]] std::size_t block_bytes() const {
    return lengths_at() + index(share_) * sizeof(int);
  }
  template <class T>
  static void append(std::vector<T>& to, const std::byte* from, std::size_t count) {
    const std::size_t before = to.size();
    to.resize(before + count);
    if (count != 0) std::memcpy(to.data() + before, from, count * sizeof(T));
  }

  const sparse::csr_matrix& mine_;
  int rows_;
  int share_;                          ///< rows of a block
  std::vector<std::uint64_t> counts_;  ///< entries of each rank
  std::size_t most_ = 0;
  std::vector<std::byte> block_;
  std::vector<std::byte> all_;
};

}  // namespace

outcome product_with_dense(upwash::job& here, const sparse::coordinate_matrix& matrix, int columns,
                           int repeats, bool check) {
  const auto a = sparse::make_csr(matrix, sparse::block_of(matrix.rows, here.size(), here.rank()));
  auto mine = dense_rows(sparse::block_of(matrix.columns, here.size(), here.rank()), columns);
  mine.resize(index(sparse::block_of(matrix.columns, here.size(), 0).count) * index(columns));
  std::vector<double> b(mine.size() * index(here.size()));
  std::vector<double> c(index(a.rows) * index(columns));

  const auto gather = [&] {
    upwash::all_gather(here.world(), upwash::blocking, std::span<const double>(mine), std::span(b));
  };
  const auto multiply = [&] {
    const std::size_t elements = index(matrix.columns) * index(columns);
    sparse::multiply_dense(a, std::span(b).first(elements), columns, c);
  };
  outcome seen = measure(here, repeats, gather, multiply);
  if (check) {
    std::vector<double> serial(c.size());
    sparse::multiply_dense(a, dense_rows({0, matrix.columns}, columns), columns, serial);
    seen.wrong = differences(c, serial);
  }
  return seen;
}

outcome product_with_sparse(upwash::job& here, const sparse::coordinate_matrix& matrix, int repeats,
                            bool check) {
  const auto a = sparse::make_csr(matrix, sparse::block_of(matrix.rows, here.size(), here.rank()));
  gathered_rows b(here, a, matrix.rows);
  sparse::csr_matrix c;

  const auto gather = [&] { b.gather(here); };
  const auto multiply = [&] { c = sparse::multiply_sparse(a, b.matrix()); };
  outcome seen = measure(here, repeats, gather, multiply);
  if (check) {
    const auto serial = sparse::multiply_sparse(a, sparse::make_csr(matrix));
    seen.wrong = differences(c.values, serial.values) + differences(c.indices, serial.indices) +
                 differences(c.starts, serial.starts);
  }
  return seen;
}

}  // namespace spmm
