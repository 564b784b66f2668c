// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/spmm/product.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "apps/common/put_to_all.hpp"
#include "upwash/base/function_ref.hpp"
#include "upwash/base/random.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/region.hpp"

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
    const auto before = here.counters();
    const auto start = here.now();
    gather();
    here.quiet();
    upwash::control::barrier(here.world());
    const auto gathered = here.now();
    const auto& after = here.counters();
    multiply();
    one.gather = gathered - start;
    one.multiply = here.now() - gathered;
    one.messages = after.messages_sent - before.messages_sent + after.puts - before.puts;
    one.bytes = after.message_bytes - before.message_bytes + after.put_bytes - before.put_bytes;
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

/// The sparse B as it lies in every rank's part of the region: values, then columns of the
/// entries, then the entries in each row.
class gathered_rows {
 public:
  gathered_rows(upwash::job& here, const sparse::csr_matrix& mine, int first_row, int rows)
      : mine_(mine), first_row_(first_row), rows_(rows) {
    const auto own = static_cast<std::uint64_t>(std::ssize(mine.values));
    std::vector<std::uint64_t> all(index(here.size()));
    upwash::control::all_gather_values(here.world(), own, std::span(all));
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      if (rank < index(here.rank())) first_entry_ += all[rank];
      entries_ += all[rank];
    }
    for (int row = 0; row < mine.rows; ++row) {
      lengths_.push_back(static_cast<int>(mine.starts[index(row) + 1] - mine.starts[index(row)]));
    }
    memory_ = upwash::allocate(
        here.world(), entries_ * (sizeof(double) + sizeof(int)) + index(rows) * sizeof(int));
  }

  void put_mine(upwash::job& here) const {
    // Counted in elements of 4 bytes from the start of the part.
    const std::size_t columns_at = entries_ * (sizeof(double) / sizeof(int));
    apps::put_to_all<double>(here, memory_, first_entry_, mine_.values);
    apps::put_to_all<int>(here, memory_, columns_at + first_entry_, mine_.indices);
    apps::put_to_all<int>(here, memory_, columns_at + entries_ + index(first_row_), lengths_);
  }

  [[nodiscard]] sparse::csr_matrix matrix() const {
    const auto* columns = memory_.mine_as<int>().data() + entries_ * (sizeof(double) / sizeof(int));
    const auto* lengths = columns + entries_;
    sparse::csr_matrix result;
    result.rows = rows_;
    result.columns = mine_.columns;
    result.values.assign(memory_.mine_as<double>().data(),
                         memory_.mine_as<double>().data() + entries_);
    result.indices.assign(columns, columns + entries_);
    for (int row = 0; row < rows_; ++row) {
      result.starts.push_back(result.starts.back() + lengths[row]);
    }
    return result;
  }

  void release() { upwash::free(memory_); }

 private:
  const sparse::csr_matrix& mine_;
  int first_row_;
  int rows_;
  std::vector<int> lengths_;
  std::size_t first_entry_ = 0;
  std::size_t entries_ = 0;
  upwash::region memory_;
};

}  // namespace

outcome product_with_dense(upwash::job& here, const sparse::coordinate_matrix& matrix, int columns,
                           int repeats, bool check) {
  const auto a = sparse::make_csr(matrix, sparse::block_of(matrix.rows, here.size(), here.rank()));
  const auto block = sparse::block_of(matrix.columns, here.size(), here.rank());
  const auto mine = dense_rows(block, columns);
  const std::size_t elements = index(matrix.columns) * index(columns);
  auto memory = upwash::allocate(here.world(), elements * sizeof(double));
  std::vector<double> c(index(a.rows) * index(columns));

  const auto gather = [&] {
    apps::put_to_all<double>(here, memory, index(block.first) * index(columns), mine);
  };
  const auto multiply = [&] {
    sparse::multiply_dense(a, memory.mine_as<double>().first(elements), columns, c);
  };
  outcome seen = measure(here, repeats, gather, multiply);
  if (check) {
    std::vector<double> serial(c.size());
    sparse::multiply_dense(a, dense_rows({0, matrix.columns}, columns), columns, serial);
    seen.wrong = differences(c, serial);
  }
  upwash::free(memory);
  return seen;
}

outcome product_with_sparse(upwash::job& here, const sparse::coordinate_matrix& matrix, int repeats,
                            bool check) {
  const auto block = sparse::block_of(matrix.rows, here.size(), here.rank());
  const auto a = sparse::make_csr(matrix, block);
  gathered_rows b(here, a, block.first, matrix.rows);
  sparse::csr_matrix c;

  const auto gather = [&] { b.put_mine(here); };
  const auto multiply = [&] { c = sparse::multiply_sparse(a, b.matrix()); };
  outcome seen = measure(here, repeats, gather, multiply);
  if (check) {
    const auto serial = sparse::multiply_sparse(a, sparse::make_csr(matrix));
    seen.wrong = differences(c.values, serial.values) + differences(c.indices, serial.indices) +
                 differences(c.starts, serial.starts);
  }
  b.release();
  return seen;
}

}  // namespace spmm
