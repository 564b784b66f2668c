// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// spmm MATRIX: multiplies a real sparse matrix with a dense block, or with itself, on all ranks.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <span>
#include <string>

#include "apps/spmm/matrix_market.hpp"
#include "apps/spmm/product.hpp"
#include "upwash/upwash.hpp"

namespace {

constexpr int bad_input = 2;

struct options {
  std::string matrix;
  int columns = 16;
  bool sparse = false;
  bool check = false;
  int repeats = 5;
};

/// Reads the command line; the exit status when the program should end here, else -1. All ranks
/// read the same line: one of them speaks.
int read_options(int argc, char** argv, bool speaks, options& chosen) {
  CLI::App app("Multiplies a sparse matrix with a dense block or with itself", "spmm");
  app.add_option("matrix", chosen.matrix, "A Matrix Market file")->required();
  auto* columns = app.add_option("--columns", chosen.columns, "Columns of the dense block")
                      ->check(CLI::Range(1, 65536))
                      ->capture_default_str();
  app.add_flag("--sparse", chosen.sparse, "Multiply the matrix with itself")->excludes(columns);
  app.add_flag("--check", chosen.check, "Compare with the serial product");
  app.add_option("--repeats", chosen.repeats, "The median of so many products is printed")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& failure) {
    const bool asked = failure.get_exit_code() == 0;
    if (speaks && asked) return app.exit(failure);
    if (speaks) fmt::print(stderr, "spmm: {} (see spmm --help)\n", failure.what());
    return asked ? 0 : bad_input;
  }
  return -1;
}

/// Reads the matrix on all ranks; false when any rank failed, and the first of these says why.
bool read_matrix(upwash::job& here, const options& chosen, spmm::coordinate_matrix& matrix) {
  std::string reason;
  try {
    matrix = spmm::read_matrix_market(chosen.matrix);
    if (chosen.sparse && matrix.rows != matrix.columns) {
      reason =
          fmt::format("{}: {} x {}; --sparse multiplies a matrix with itself: it must be square",
                      chosen.matrix, matrix.rows, matrix.columns);
    }
  } catch (const upwash::error& failure) {
    reason = failure.what();
  }
  const auto nobody = static_cast<std::uint64_t>(here.size());
  std::uint64_t first = reason.empty() ? nobody : static_cast<std::uint64_t>(here.rank());
  upwash::control::all_reduce(here.world(), std::span(&first, 1), upwash::control::fold::least);
  if (first == static_cast<std::uint64_t>(here.rank())) fmt::print(stderr, "spmm: {}\n", reason);
  return first == nobody;
}

/// Over all ranks: the slowest times, the sum of everything else.
spmm::outcome combine(upwash::job& here, const spmm::outcome& mine) {
  std::array slowest{static_cast<std::uint64_t>(mine.gather.ps()),
                     static_cast<std::uint64_t>(mine.multiply.ps())};
  std::array sums{mine.messages, mine.bytes, mine.wrong};
  upwash::control::all_reduce(here.world(), slowest, upwash::control::fold::most);
  upwash::control::all_reduce(here.world(), sums, upwash::control::fold::sum);
  return {upwash::duration::from_ps(static_cast<std::int64_t>(slowest[0])),
          upwash::duration::from_ps(static_cast<std::int64_t>(slowest[1])), sums[0], sums[1],
          sums[2]};
}

void print(const upwash::job& here, const options& chosen, const spmm::coordinate_matrix& matrix,
           const spmm::outcome& all) {
  const double gather = all.gather.us() / 1e3;
  const double multiply = all.multiply.us() / 1e3;
  fmt::print("matrix: {}, {} x {}, {} entries\n", chosen.matrix, matrix.rows, matrix.columns,
             matrix.entries.size());
  fmt::print("product: sparse x {} on {} ranks\n",
             chosen.sparse ? "sparse" : fmt::format("dense, {} columns,", chosen.columns),
             here.size());
  fmt::print("time: {:.3f} ms (gather {:.3f}, multiply {:.3f}; slowest rank, median of {})\n",
             gather + multiply, gather, multiply, chosen.repeats);
  fmt::print("messages: {}\nbytes: {}\n", all.messages, all.bytes);
  if (chosen.check) {
    fmt::print("verified: {}\n",
               all.wrong == 0 ? "yes" : fmt::format("no, {} entries differ", all.wrong));
  }
}

int run_rank(upwash::job& here, int argc, char** argv) {
  options chosen;
  const int early = read_options(argc, argv, here.rank() == 0, chosen);
  if (early >= 0) return early;
  spmm::coordinate_matrix matrix;
  if (!read_matrix(here, chosen, matrix)) return bad_input;
  const auto mine =
      chosen.sparse
          ? spmm::product_with_sparse(here, matrix, chosen.repeats, chosen.check)
          : spmm::product_with_dense(here, matrix, chosen.columns, chosen.repeats, chosen.check);
  const auto all = combine(here, mine);
  if (here.rank() == 0) print(here, chosen, matrix, all);
  return all.wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return upwash::run(argc, argv, [&](upwash::job& here) { return run_rank(here, argc, argv); });
}
