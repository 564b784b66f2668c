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
#include <vector>

#include "apps/cg/parallel.hpp"
#include "apps/common/medians.hpp"
#include "apps/common/program.hpp"
#include "upwash/upwash.hpp"

namespace {

struct options {
  std::string matrix;
  cg::limits until;
  cg::manner how;
  bool compare = false;
  int repeats = 3;
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
  app.add_option("--exchange", chosen.how.exchange,
                 "How parts of the direction come: puts, neighborhood, all_gather, or a scheme of "
                 "neighbours (upwash schedule neighbor_all_gather lists them)")
      ->capture_default_str();
  auto* compare = app.add_flag("--compare", chosen.compare,
                               "Solve by puts and by --exchange (else neighborhood) in turn");
  app.add_option("--repeats", chosen.repeats, "Of --compare: so many turns")
      ->needs(compare)
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--mflops", chosen.how.mflops, "Speed of a simulated processor")
      ->check(apps::number_in(1e-3, 1e9))
      ->capture_default_str();
  return apps::read_command_line(here, app, argc, argv);
}

/// Solves with one exchange: the last one, and what all took at the slowest rank.
struct turns {
  cg::manner how;
  cg::outcome last{};
  std::vector<upwash::duration> times{};
  std::vector<upwash::duration> exchanges{};
};

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

/// By puts and by the exchange of the line, in turn.
std::vector<turns> solve_all(upwash::job& here, const sparse::coordinate_matrix& matrix,
                             const options& chosen) {
  std::vector<turns> all;
  cg::manner other = chosen.how;
  if (chosen.compare) {
    if (other.exchange == cg::puts) other.exchange = cg::neighbors;
    all.push_back({.how = {.exchange = std::string(cg::puts), .mflops = other.mflops}});
  }
  all.push_back({.how = other});
  for (int turn = 0; turn < (chosen.compare ? chosen.repeats : 1); ++turn) {
    for (turns& each : all) {
      each.last = cg::solve_on_all(here, matrix, chosen.until, each.how);
      each.times.push_back(apps::slowest(here, each.last.time));
      each.exchanges.push_back(apps::slowest(here, each.last.exchanges.time));
    }
  }
  return all;
}

double ms(upwash::duration time) { return time.us() / 1e3; }

/// What one solve took; true when rank 0, which prints, finds it right.
bool print_one(upwash::job& here, const options& chosen, const sparse::coordinate_matrix& matrix,
               const turns& one) {
  const auto barriers = apps::slowest(here, one.last.barriers.time);
  const auto all_reduces = apps::slowest(here, one.last.all_reduces.time);
  const auto preparation = apps::slowest(here, one.last.preparation);
  if (here.rank() != 0) return true;
  fmt::print("time: {:.3f} ms on {} ranks (slowest rank)\n", ms(apps::median(one.times)),
             here.size());
  fmt::print("exchanges: {} by {}, {:.3f} ms ({:.3f} ms to prepare)\n", one.last.exchanges.times,
             one.how.exchange, ms(apps::median(one.exchanges)), ms(preparation));
  if (one.how.exchange == cg::puts) {
    fmt::print("barriers: {}, {:.3f} ms\n", one.last.barriers.times, ms(barriers));
  }
  fmt::print("all-reduces: {}, {:.3f} ms\n", one.last.all_reduces.times, ms(all_reduces));
  return print_comparison(matrix, chosen.until, one.last);
}

void print_ratios(const options& chosen, const turns& puts, const turns& other) {
  fmt::print("{} over puts, median of {} turns: exchanges {:.2f} times as fast, all {:.2f} times\n",
             other.how.exchange, chosen.repeats,
             apps::median_ratio(puts.exchanges, other.exchanges),
             apps::median_ratio(puts.times, other.times));
  fmt::print("unknowns: {}\n", puts.last.x == other.last.x ? "the same in every bit" : "differ");
}

int run_rank(upwash::job& here, int argc, char** argv) {
  options chosen;
  const int early = read_options(here, argc, argv, chosen);
  if (early >= 0) return early;
  sparse::coordinate_matrix matrix;
  std::vector<turns> all;
  if (!apps::all_prepared(here, "cg", [&] { matrix = read_matrix(chosen.matrix); }) ||
      !apps::all_prepared(here, "cg", [&] { all = solve_all(here, matrix, chosen); })) {
    return apps::bad_input;
  }
  if (all[0].last.ended == cg::ending::not_positive_definite) {
    if (here.rank() == 0) {
      fmt::print(stderr, "cg: {}: not positive definite, as iteration {} shows\n", chosen.matrix,
                 all[0].last.iterations + 1);
    }
    return apps::bad_input;
  }
  if (here.rank() == 0) {
    fmt::print("matrix: {}, {} x {}, {} entries\n", chosen.matrix, matrix.rows, matrix.columns,
               matrix.entries.size());
  }
  bool right = true;
  for (const turns& each : all) right = print_one(here, chosen, matrix, each) && right;
  if (here.rank() == 0 && chosen.compare) print_ratios(chosen, all[0], all[1]);
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return upwash::run(argc, argv, [&](upwash::job& here) { return run_rank(here, argc, argv); });
}
