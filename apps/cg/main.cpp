// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// cg MATRIX: solves a real symmetric positive definite system on all ranks.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "apps/cg/parallel.hpp"
#include "apps/common/program.hpp"
#include "upwash/upwash.hpp"

namespace {

struct options {
  std::string matrix;
  cg::limits until;
  double mflops = 1000;
};

/// The exit status when the program should end here, else -1.
int read_options(const upwash::job& here, int argc, char** argv, options& chosen) {
  CLI::App app("Solves a symmetric positive definite system by conjugate gradients", "cg");
  app.add_option("matrix", chosen.matrix, "A Matrix Market file")->required();
  app.add_option("--tolerance", chosen.until.tolerance, "Of the residual, relative")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_option("--iterations", chosen.until.iterations, "At most")
      ->check(CLI::Range(1, 100000000))
      ->capture_default_str();
  app.add_option("--mflops", chosen.mflops, "Speed of a simulated processor")
      ->check(CLI::Range(1e-3, 1e9))
      ->capture_default_str();
  return apps::read_command_line(here, app, argc, argv);
}

sparse::coordinate_matrix read_matrix(const std::string& path) {
  auto matrix = sparse::read_matrix_market(path);
  try {
    cg::check_symmetric(matrix);
  } catch (const upwash::error& refused) {
    throw upwash::error(refused.kind(), fmt::format("{}: {}", path, refused.what()));
  }
  return matrix;
}

/// Rank 0 solves alone and compares; true when the solution of all ranks is good.
bool print_comparison(const sparse::coordinate_matrix& matrix, const cg::limits& until,
                      const cg::outcome& all) {
  const auto a = sparse::make_csr(matrix);
  const auto b = cg::right_hand_side(a);
  const auto alone = cg::solve_serially(matrix, b, until);
  double difference = 0;
  for (std::size_t i = 0; i < all.x.size(); ++i) {
    difference = std::max(difference, std::abs(all.x[i] - alone.x[i]));
  }
  const double residual = cg::relative_residual(a, all.x, b);
  const double serial = cg::relative_residual(a, alone.x, b);
  fmt::print("iterations: {} (serial solve: {})\n", all.iterations, alone.iterations);
  fmt::print("residual: {:.2e} (serial solve: {:.2e}; greatest difference of an unknown {:.1e})\n",
             residual, serial, difference);
  const bool converged = all.ended == cg::ending::converged;
  const bool right = converged && residual <= 10 * std::max(until.tolerance, serial);
  fmt::print("verified: {}\n", right       ? "yes"
                               : converged ? "no, the true residual is above the tolerance"
                                           : "no, not converged; see --iterations");
  return right;
}

int run_rank(upwash::job& here, int argc, char** argv) {
  options chosen;
  const int early = read_options(here, argc, argv, chosen);
  if (early >= 0) return early;
  sparse::coordinate_matrix matrix;
  if (!apps::all_prepared(here, "cg", [&] { matrix = read_matrix(chosen.matrix); })) {
    return apps::bad_input;
  }
  const auto seen = cg::solve_on_all(here, matrix, chosen.until, chosen.mflops);
  if (seen.ended == cg::ending::not_positive_definite) {
    if (here.rank() == 0) {
      fmt::print(stderr, "cg: {}: not positive definite, as iteration {} shows\n", chosen.matrix,
                 seen.iterations + 1);
    }
    return apps::bad_input;
  }
  const auto time = apps::slowest(here, seen.time);
  const auto barriers = apps::slowest(here, seen.barriers.time);
  const auto all_reduces = apps::slowest(here, seen.all_reduces.time);
  if (here.rank() != 0) return 0;

  fmt::print("matrix: {}, {} x {}, {} entries\n", chosen.matrix, matrix.rows, matrix.columns,
             matrix.entries.size());
  fmt::print("time: {:.3f} ms on {} ranks (slowest rank)\n", time.us() / 1e3, here.size());
  fmt::print("barriers: {}, {:.3f} ms\n", seen.barriers.times, barriers.us() / 1e3);
  fmt::print("all-reduces: {}, {:.3f} ms\n", seen.all_reduces.times, all_reduces.us() / 1e3);
  return print_comparison(matrix, chosen.until, seen) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return upwash::run(argc, argv, [&](upwash::job& here) { return run_rank(here, argc, argv); });
}
