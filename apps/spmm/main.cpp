// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// spmm MATRIX: multiplies a real sparse matrix with a dense block, or with itself, on all ranks.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "apps/common/matrix_market.hpp"
#include "apps/common/program.hpp"
#include "apps/spmm/product.hpp"
#include "upwash/upwash.hpp"

namespace {

struct options {
  std::string matrix;
  int columns = 16;
  bool sparse = false;
  bool check = false;
  int repeats = 5;
};

/// The exit status when the program should end here, else -1.
int read_options(const upwash::job& here, int argc, char** argv, options& chosen) {
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
  return apps::read_command_line(here, app, argc, argv);
}

sparse::coordinate_matrix read_matrix(const options& chosen) {
  auto matrix = sparse::read_matrix_market(chosen.matrix);
  if (chosen.sparse && matrix.rows != matrix.columns) {
    throw upwash::error(
        upwash::error_kind::configuration,
        fmt::format("{}: {} x {}; --sparse multiplies a matrix with itself: it must be square",
                    chosen.matrix, matrix.rows, matrix.columns));
  }
  return matrix;
}

/// Over all ranks: the slowest times, the sum of everything else.
spmm::outcome combine(upwash::job& here, const spmm::outcome& mine) {
  return {apps::slowest(here, mine.gather), apps::slowest(here, mine.multiply),
          apps::total(here, mine.wrong)};
}

void print(const upwash::job& here, const options& chosen, const sparse::coordinate_matrix& matrix,
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
  if (chosen.check) {
    fmt::print("verified: {}\n",
               all.wrong == 0 ? "yes" : fmt::format("no, {} entries differ", all.wrong));
  }
}

int run_rank(upwash::job& here, int argc, char** argv) {
  options chosen;
  const int early = read_options(here, argc, argv, chosen);
  if (early >= 0) return early;
  sparse::coordinate_matrix matrix;
  if (!apps::all_prepared(here, "spmm", [&] { matrix = read_matrix(chosen); })) {
    return apps::bad_input;
  }
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
