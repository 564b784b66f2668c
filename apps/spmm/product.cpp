// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/spmm/product.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "upwash/base/random.hpp"
#include "upwash/collective/all_gather.hpp"

namespace spmm {
namespace {

constexpr std::uint64_t seed = 1;

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

/// Columns [first, first + count) of rows of the dense B: the same wherever they are drawn.
std::vector<double> dense_rows(sparse::row_block block, int first, int count) {
  std::vector<double> rows;
  rows.reserve(index(block.count) * index(count));
  for (int row = block.first; row < block.first + block.count; ++row) {
    for (int column = first; column < first + count; ++column) {
      const std::uint64_t bits = upwash::random_bits(seed, index(row), index(column));
      rows.push_back(static_cast<double>(bits >> 11U) * 0x1.0p-53);
    }
  }
  return rows;
}

/// How many entries of two equally long lists differ.
template <class T>
std::uint64_t count_differences(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return std::max(a.size(), b.size());
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i] == b[i] ? 0 : 1;
  return count;
}

/// A step brings and multiplies some columns of B: all of them, or one.
class dense_product final : public product {
 public:
  dense_product(upwash::job& here, const sparse::coordinate_matrix& matrix, const right_side& with,
                std::string_view exchange)
      : matrix_(matrix),
        rows_(sparse::make_csr(matrix, sparse::block_of(matrix.rows, here.size(), here.rank()))),
        exchange_(here, rows_, exchange),
        steps_(with.by_column ? with.columns : 1),
        width_(with.columns / steps_),
        a_(sparse::on_blocks_of(rows_, exchange_.owners(), here.size())) {
    const auto block = sparse::block_of(matrix.columns, here.size(), here.rank());
    const auto share = index(sparse::block_of(matrix.columns, here.size(), 0).count);
    for (int step = 0; step < steps_; ++step) {
      mine_.push_back(dense_rows(block, step * width_, width_));
      mine_.back().resize(share * index(width_));
      c_.emplace_back(index(a_.rows) * index(width_));
    }
    b_.resize(index(a_.columns) * index(width_));
  }

  [[nodiscard]] const apps::block_exchange& exchange() const override { return exchange_; }
  [[nodiscard]] int steps() const override { return steps_; }
  void gather(int step) override {
    exchange_.gather(std::as_bytes(std::span(mine_[index(step)])),
                     std::as_writable_bytes(std::span(b_)));
  }
  void multiply(int step) override { sparse::multiply_dense(a_, b_, width_, c_[index(step)]); }

  [[nodiscard]] std::uint64_t differences() const override {
    std::uint64_t wrong = 0;
    for (int step = 0; step < steps_; ++step) {
      const auto& mine = c_[index(step)];
      std::vector<double> serial(mine.size());
      sparse::multiply_dense(rows_, dense_rows({0, matrix_.columns}, step * width_, width_), width_,
                             serial);
      wrong += count_differences(mine, serial);
    }
    return wrong;
  }

 private:
  const sparse::coordinate_matrix& matrix_;
  sparse::csr_matrix rows_;
  apps::block_exchange exchange_;
  int steps_;
  int width_;                              ///< columns of a step
  sparse::csr_matrix a_;                   ///< for `b_`
  std::vector<std::vector<double>> mine_;  ///< of B, by step; as long as the longest
  std::vector<double> b_;
  std::vector<std::vector<double>> c_;
};

/// The sparse B: each rank sends its values, then its columns, then how many entries its rows have,
/// in a block that is as long as the longest.
class sparse_product final : public product {
 public:
  sparse_product(upwash::job& here, const sparse::coordinate_matrix& matrix,
                 std::string_view exchange)
      : matrix_(matrix),
        rows_(sparse::make_csr(matrix, sparse::block_of(matrix.rows, here.size(), here.rank()))),
        exchange_(here, rows_, exchange),
        a_(sparse::on_blocks_of(rows_, exchange_.owners(), here.size())),
        share_(sparse::block_of(matrix.rows, here.size(), 0).count) {
    counts_.resize(index(here.size()));
    const auto own = static_cast<std::uint64_t>(std::ssize(rows_.values));
    upwash::all_gather(here.world(), upwash::blocking, std::span(&own, 1), std::span(counts_));
    most_ = *std::max_element(counts_.begin(), counts_.end());
    block_.resize(block_bytes());
    all_.resize(block_bytes() * exchange_.owners().size());
  }

  [[nodiscard]] const apps::block_exchange& exchange() const override { return exchange_; }
  [[nodiscard]] int steps() const override { return 1; }

  void gather(int /*step*/) override {
    std::memcpy(block_.data(), rows_.values.data(), rows_.values.size() * sizeof(double));
    std::memcpy(block_.data() + columns_at(), rows_.indices.data(),
                rows_.indices.size() * sizeof(int));
    for (int row = 0; row < rows_.rows; ++row) {
      const auto length = static_cast<int>(rows_.starts[index(row) + 1] - rows_.starts[index(row)]);
      std::memcpy(block_.data() + lengths_at() + index(row) * sizeof(int), &length, sizeof length);
    }
    exchange_.gather(block_, all_);
  }
  void multiply(int /*step*/) override { c_ = sparse::multiply_sparse(a_, b()); }

  [[nodiscard]] std::uint64_t differences() const override {
    const auto serial = sparse::multiply_sparse(rows_, sparse::make_csr(matrix_));
    return count_differences(c_.values, serial.values) +
           count_differences(c_.indices, serial.indices) +
           count_differences(c_.starts, serial.starts);
  }

 private:
  /// The blocks that came, one behind the other, as a matrix.
  [[nodiscard]] sparse::csr_matrix b() const {
    sparse::csr_matrix result;
    result.rows = a_.columns;
    result.columns = rows_.columns;
    for (std::size_t i = 0; i < exchange_.owners().size(); ++i) {
      const std::byte* block = all_.data() + i * block_bytes();
      const std::uint64_t count = counts_[index(exchange_.owners()[i])];
      append(result.values, block, count);
      append(result.indices, block + columns_at(), count);
      std::vector<int> lengths;
      append(lengths, block + lengths_at(), index(share_));
      for (const int length : lengths) result.starts.push_back(result.starts.back() + length);
    }
    return result;
  }

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

  const sparse::coordinate_matrix& matrix_;
  sparse::csr_matrix rows_;
  apps::block_exchange exchange_;
  sparse::csr_matrix a_;               ///< for the blocks that come
  int share_;                          ///< rows of a block; a shorter one has empty rows behind it
  std::vector<std::uint64_t> counts_;  ///< entries of each rank
  std::size_t most_ = 0;
  std::vector<std::byte> block_;
  std::vector<std::byte> all_;
  sparse::csr_matrix c_;
};

}  // namespace

std::unique_ptr<product> make_product(upwash::job& here, const sparse::coordinate_matrix& matrix,
                                      const right_side& with, std::string_view exchange) {
  if (with.sparse) return std::make_unique<sparse_product>(here, matrix, exchange);
  return std::make_unique<dense_product>(here, matrix, with, exchange);
}

}  // namespace spmm
