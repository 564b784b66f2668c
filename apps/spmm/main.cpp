// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// spmm MATRIX: multiplies a real sparse matrix with a dense block, or with itself, on all ranks.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "apps/common/matrix_market.hpp"
#include "apps/common/medians.hpp"
#include "apps/common/program.hpp"
#include "apps/spmm/timing.hpp"
#include "upwash/upwash.hpp"

namespace {

struct options {
  std::string matrix;
  spmm::right_side with;
  std::vector<std::string> exchanges;
  bool compare = false;
  bool check = false;
  int repeats = 5;
};

/// The exit status when the program should end here, else -1.
int read_options(const upwash::job& here, int argc, char** argv, options& chosen) {
  CLI::App app("Multiplies a sparse matrix with a dense block or with itself", "spmm");
  app.add_option("matrix", chosen.matrix, "A Matrix Market file")->required();
  auto* columns = app.add_option("--columns", chosen.with.columns, "Columns of the dense block")
                      ->check(CLI::Range(1, 65536))
                      ->capture_default_str();
  auto* by_column =
      app.add_flag("--by-column", chosen.with.by_column, "An exchange for each column");
  app.add_flag("--sparse", chosen.with.sparse, "Multiply the matrix with itself")
      ->excludes(columns)
      ->excludes(by_column);
  app.add_option("--exchange", chosen.exchanges,
                 "How rows of B come: all_gather, or by a scheme of neighbours (direct, best, ...; "
                 "upwash schedule neighbor_all_gather lists them)")
      ->allow_extra_args(false)
      ->default_str("all_gather");
  app.add_flag("--compare", chosen.compare,
               "Exchange by all_gather, direct, best and each --exchange in turn");
  app.add_flag("--check", chosen.check, "Compare with the serial product");
  app.add_option("--repeats", chosen.repeats, "The median of so many products is printed")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  return apps::read_command_line(here, app, argc, argv);
}

[[noreturn]] void refuse(const std::string& what) {
  throw upwash::error(upwash::error_kind::configuration, what);
}

/// What is asked for becomes what is run: without --compare one exchange.
void choose_exchanges(options& chosen) {
  std::vector<std::string> all;
  if (chosen.compare) {
    all = {std::string(apps::block_exchange::ordinary), "direct", "best"};
  } else if (chosen.exchanges.empty()) {
    all = {std::string(apps::block_exchange::ordinary)};
  }
  for (const std::string& each : chosen.exchanges) {
    if (std::find(all.begin(), all.end(), each) == all.end()) all.push_back(each);
  }
  if (!chosen.compare && all.size() > 1) {
    refuse(fmt::format("--exchange is given {} times; several are run by --compare only",
                       chosen.exchanges.size()));
  }
  chosen.exchanges = all;
}

sparse::coordinate_matrix read_matrix(const options& chosen) {
  auto matrix = sparse::read_matrix_market(chosen.matrix);
  if (chosen.with.sparse && matrix.rows != matrix.columns) {
    refuse(fmt::format("{}: {} x {}; --sparse multiplies a matrix with itself: it must be square",
                       chosen.matrix, matrix.rows, matrix.columns));
  }
  return matrix;
}

/// How many blocks come to a rank.
struct reach {
  double mean = 0;
  std::uint64_t most = 0;
};

reach reach_of(upwash::job& here, const spmm::product& one) {
  const auto mine = static_cast<std::uint64_t>(one.exchange().owners().size());
  const auto sum = static_cast<double>(apps::total(here, mine));
  reach all{.mean = sum / here.size(), .most = mine};
  upwash::control::all_reduce(here.world(), std::span(&all.most, 1), upwash::control::fold::most);
  return all;
}

double ms(upwash::duration time) { return time.us() / 1e3; }

void print_head(const upwash::job& here, const options& chosen,
                const sparse::coordinate_matrix& matrix) {
  fmt::print("matrix: {}, {} x {}, {} entries\n", chosen.matrix, matrix.rows, matrix.columns,
             matrix.entries.size());
  fmt::print("product: sparse x {} on {} ranks\n",
             chosen.with.sparse ? "sparse" : fmt::format("dense, {} columns,", chosen.with.columns),
             here.size());
}

void print_one(const upwash::job& here, const options& chosen, const spmm::timed_product& one,
               const reach& came) {
  const double gather = ms(apps::median(one.took.gather));
  const double multiply = ms(apps::median(one.took.multiply));
  fmt::print("exchange: by {}, {:.1f} of {} blocks of B at a rank (at most {})\n",
             one.is->exchange().by(), came.mean, here.size(), came.most);
  fmt::print("steps: {}, {:.4f} ms each to exchange; {:.3f} ms to make it with the first\n",
             one.is->steps(), gather / one.is->steps(), ms(one.took.first));
  fmt::print("time: {:.3f} ms (gather {:.3f}, multiply {:.3f}; slowest rank, median of {})\n",
             gather + multiply, gather, multiply, chosen.repeats);
}

/// The first is the ordinary collective, the second goes direct.
void print_table(const upwash::job& here, const options& chosen,
                 std::span<const spmm::timed_product> all, const reach& came) {
  fmt::print("exchanges: {:.1f} of {} blocks of B come to a rank (at most {}); by all_gather all\n",
             came.mean, here.size(), came.most);
  fmt::print("time: slowest rank, median of {} turns; how many times as fast, turn by turn\n",
             chosen.repeats);
  fmt::print("{:<24}{:>12}{:>12}{:>16}{:>13}\n", "exchange", "ms a step", "first ms",
             "over all_gather", "over direct");
  for (const spmm::timed_product& each : all) {
    const auto& mine = each.took.gather;
    fmt::print("{:<24}{:>12.4f}{:>12.3f}{:>16.2f}{:>13.2f}\n", each.is->exchange().by(),
               ms(apps::median(mine)) / each.is->steps(), ms(each.took.first),
               apps::median_ratio(all[0].took.gather, mine),
               apps::median_ratio(all[1].took.gather, mine));
  }
}

int run_rank(upwash::job& here, int argc, char** argv) {
  options chosen;
  const int early = read_options(here, argc, argv, chosen);
  if (early >= 0) return early;
  sparse::coordinate_matrix matrix;
  std::vector<spmm::timed_product> all;
  const auto prepare = [&] {
    choose_exchanges(chosen);
    matrix = read_matrix(chosen);
  };
  const auto make = [&] { all = spmm::make_products(here, matrix, chosen.with, chosen.exchanges); };
  if (!apps::all_prepared(here, "spmm", prepare) || !apps::all_prepared(here, "spmm", make)) {
    return apps::bad_input;
  }
  spmm::run_in_turn(here, all, chosen.repeats);
  std::uint64_t wrong = 0;
  if (chosen.check) {
    for (const auto& each : all) wrong += apps::total(here, each.is->differences());
  }
  const reach came = reach_of(here, *all[chosen.compare ? 1 : 0].is);
  if (here.rank() == 0) {
    print_head(here, chosen, matrix);
    chosen.compare ? print_table(here, chosen, all, came)
                   : print_one(here, chosen, all.front(), came);
    if (chosen.check) {
      fmt::print("verified: {}\n",
                 wrong == 0 ? "yes" : fmt::format("no, {} entries differ", wrong));
    }
  }
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return upwash::run(argc, argv, [&](upwash::job& here) { return run_rank(here, argc, argv); });
}
