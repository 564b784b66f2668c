// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cg/parallel.hpp"

#include <algorithm>
#include <memory>

#include "apps/common/block_exchange.hpp"
#include "apps/common/put_to_all.hpp"
#include "upwash/collective/all_gather.hpp"
#include "upwash/collective/all_reduce.hpp"
#include "upwash/collective/barrier.hpp"

namespace cg {
namespace {

void note(spent& in, upwash::job& here, upwash::duration began) {
  ++in.times;
  in.time += here.now() - began;
}

/// How the parts of a vector that my rows name come here, and the product with them.
class multiplier {
 public:
  multiplier() = default;
  multiplier(multiplier&&) = delete;
  virtual ~multiplier() = default;

  /// My rows of A times the vector of which this is my part. Collective, blocking. The sums between
  /// two calls keep anybody from changing what another still reads.
  virtual void multiply(std::span<const double> mine, std::span<double> product) = 0;
  /// The whole vector. Collective, blocking.
  [[nodiscard]] virtual std::vector<double> whole(std::span<const double> mine) = 0;
  /// Collective, at the end.
  virtual void release() {}

  spent exchanges;
  spent barriers;
};

/// My part to every rank, and a barrier.
class by_puts final : public multiplier {
 public:
  by_puts(upwash::job& here, const sparse::csr_matrix& rows, sparse::row_block block)
      : here_(here),
        rows_(rows),
        first_(static_cast<std::size_t>(block.first)),
        whole_(upwash::allocate(here.world(),
                                static_cast<std::size_t>(rows.columns) * sizeof(double))) {}

  void multiply(std::span<const double> mine, std::span<double> product) override {
    sparse::multiply_dense(rows_, gather(mine), 1, product);
  }
  std::vector<double> whole(std::span<const double> mine) override {
    const auto all = gather(mine);
    return {all.begin(), all.end()};
  }
  void release() override { upwash::free(whole_); }

 private:
  std::span<const double> gather(std::span<const double> mine) {
    const auto began = here_.now();
    apps::put_to_all(here_, whole_, first_, mine);
    here_.quiet();
    const auto waited = here_.now();
    upwash::barrier(here_.world(), upwash::blocking);
    note(barriers, here_, waited);
    note(exchanges, here_, began);
    return whole_.mine_as<double>().first(static_cast<std::size_t>(rows_.columns));
  }

  upwash::job& here_;
  const sparse::csr_matrix& rows_;
  std::size_t first_;
  upwash::region whole_;
};

/// Blocks as long as the longest, from the ranks that my rows name or from all.
class by_blocks final : public multiplier {
 public:
  by_blocks(upwash::job& here, const sparse::csr_matrix& rows, std::string_view exchange)
      : here_(here),
        exchange_(here, rows, exchange),
        rows_(sparse::on_blocks_of(rows, exchange_.owners(), here.size())),
        columns_(static_cast<std::size_t>(rows.columns)),
        mine_(static_cast<std::size_t>(sparse::block_of(rows.columns, here.size(), 0).count)),
        came_(static_cast<std::size_t>(rows_.columns)) {}

  void multiply(std::span<const double> mine, std::span<double> product) override {
    const auto began = here_.now();
    std::copy(mine.begin(), mine.end(), mine_.begin());
    exchange_.gather(std::as_bytes(std::span(mine_)), std::as_writable_bytes(std::span(came_)));
    note(exchanges, here_, began);
    sparse::multiply_dense(rows_, came_, 1, product);
  }
  std::vector<double> whole(std::span<const double> mine) override {
    std::copy(mine.begin(), mine.end(), mine_.begin());
    std::vector<double> all(mine_.size() * static_cast<std::size_t>(here_.size()));
    upwash::all_gather(here_.world(), upwash::blocking, std::span<const double>(mine_),
                       std::span(all));
    all.resize(columns_);
    return all;
  }

 private:
  upwash::job& here_;
  apps::block_exchange exchange_;
  sparse::csr_matrix rows_;  ///< for `came_`
  std::size_t columns_;
  std::vector<double> mine_;
  std::vector<double> came_;
};

std::unique_ptr<multiplier> make_multiplier(upwash::job& here, const sparse::csr_matrix& rows,
                                            sparse::row_block block, std::string_view exchange) {
  if (exchange == puts) return std::make_unique<by_puts>(here, rows, block);
  return std::make_unique<by_blocks>(here, rows, exchange == neighbors ? "best" : exchange);
}

}  // namespace

std::vector<double> right_hand_side(const sparse::csr_matrix& a) {
  const std::vector<double> ones(static_cast<std::size_t>(a.columns), 1.0);
  std::vector<double> b(static_cast<std::size_t>(a.rows));
  sparse::multiply_dense(a, ones, 1, b);
  return b;
}

outcome solve_on_all(upwash::job& here, const sparse::coordinate_matrix& matrix,
                     const limits& until, const manner& how) {
  const auto block = sparse::block_of(matrix.rows, here.size(), here.rank());
  const auto rows = sparse::make_csr(matrix, block);
  const auto diagonal = diagonal_of(matrix, block);
  const auto b = right_hand_side(rows);
  // A product and a sum for each entry; about ten operations a row for the vectors.
  const auto work = upwash::duration::from_us(
      (2.0 * static_cast<double>(rows.values.size()) + 10.0 * rows.rows) / how.mflops);
  const auto made = here.now();
  const auto ranks = make_multiplier(here, rows, block, how.exchange);
  outcome seen;
  seen.preparation = here.now() - made;

  upwash::barrier(here.world(), upwash::blocking);
  const auto began = here.now();
  const auto mine = solve(
      diagonal, b, until,
      [&](std::span<const double> vector, std::span<double> product) {
        ranks->multiply(vector, product);
        here.compute(work);
      },
      [&](std::span<double> numbers) {
        const auto summed = here.now();
        upwash::all_reduce<upwash::sum>(here.world(), upwash::blocking, upwash::in_place, numbers);
        note(seen.all_reduces, here, summed);
      });
  seen.time = here.now() - began;
  seen.iterations = mine.iterations;
  seen.ended = mine.ended;
  seen.exchanges = ranks->exchanges;
  seen.barriers = ranks->barriers;
  seen.x = ranks->whole(mine.x);
  ranks->release();
  return seen;
}

}  // namespace cg
