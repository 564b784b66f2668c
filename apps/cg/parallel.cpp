// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cg/parallel.hpp"

#include <algorithm>

#include "apps/common/put_to_all.hpp"
#include "upwash/collective/all_reduce.hpp"
#include "upwash/collective/barrier.hpp"

namespace cg {
namespace {

/// What the iteration asks of the ranks, counted and timed.
class ranks_together {
 public:
  ranks_together(upwash::job& here, const sparse::csr_matrix& rows, sparse::row_block block,
                 double mflops)
      : here_(here),
        rows_(rows),
        first_(static_cast<std::size_t>(block.first)),
        whole_(upwash::allocate(here.world(),
                                static_cast<std::size_t>(rows.columns) * sizeof(double))),
        // A product and a sum for each entry; about ten operations a row for the vectors.
        work_(upwash::duration::from_us(
            (2.0 * static_cast<double>(rows.values.size()) + 10.0 * rows.rows) / mflops)) {}
  ranks_together(ranks_together&&) = delete;

  /// My part of a vector to every rank; returns the whole, which holds until the next call. The
  /// sums between two calls keep anybody from writing it while another still reads.
  std::span<const double> gather(std::span<const double> mine) {
    apps::put_to_all(here_, whole_, first_, mine);
    here_.quiet();
    const auto began = here_.now();
    upwash::barrier(here_.world(), upwash::blocking);
    note(barriers, began);
    return whole_.mine_as<double>().first(static_cast<std::size_t>(rows_.columns));
  }

  void multiply(std::span<const double> vector, std::span<double> product) {
    sparse::multiply_dense(rows_, gather(vector), 1, product);
    here_.compute(work_);
  }

  void sum(std::span<double> numbers) {
    const auto began = here_.now();
    upwash::all_reduce<upwash::sum>(here_.world(), upwash::blocking, upwash::in_place, numbers);
    note(all_reduces, began);
  }

  /// Collective, at the end.
  void release() { upwash::free(whole_); }

  spent barriers;
  spent all_reduces;

 private:
  void note(spent& in, upwash::duration began) const {
    ++in.times;
    in.time += here_.now() - began;
  }

  upwash::job& here_;
  const sparse::csr_matrix& rows_;
  std::size_t first_;
  upwash::region whole_;
  upwash::duration work_;
};

}  // namespace

std::vector<double> right_hand_side(const sparse::csr_matrix& a) {
  const std::vector<double> ones(static_cast<std::size_t>(a.columns), 1.0);
  std::vector<double> b(static_cast<std::size_t>(a.rows));
  sparse::multiply_dense(a, ones, 1, b);
  return b;
}

outcome solve_on_all(upwash::job& here, const sparse::coordinate_matrix& matrix,
                     const limits& until, double mflops) {
  const auto block = sparse::block_of(matrix.rows, here.size(), here.rank());
  const auto rows = sparse::make_csr(matrix, block);
  const auto diagonal = diagonal_of(matrix, block);
  const auto b = right_hand_side(rows);
  ranks_together ranks(here, rows, block, mflops);

  upwash::barrier(here.world(), upwash::blocking);
  const auto began = here.now();
  const auto mine = solve(
      diagonal, b, until,
      [&](std::span<const double> vector, std::span<double> product) {
        ranks.multiply(vector, product);
      },
      [&](std::span<double> numbers) { ranks.sum(numbers); });
  outcome seen{.x = {},
               .iterations = mine.iterations,
               .ended = mine.ended,
               .time = here.now() - began,
               .barriers = ranks.barriers,
               .all_reduces = ranks.all_reduces};
  const auto x = ranks.gather(mine.x);
  seen.x.assign(x.begin(), x.end());
  ranks.release();
  return seen;
}

}  // namespace cg
