// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// md: molecular dynamics by objects, in the structure of LeanMD and NAMD.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "apps/common/program.hpp"
#include "apps/md/options.hpp"
#include "upwash/upwash.hpp"

namespace {

using md::options;

double ms(upwash::duration time) { return time.us() / 1e3; }

void print_head(int ranks, const options& chosen, std::size_t particles) {
  const md::space& in = chosen.run.what.in;
  const int computes = in.count() * md::computes_a_cell(in.reach);
  fmt::print("particles: {}, in {} x {} x {} cells, {} computes ({}-away), on {} ranks\n",
             particles, in.cells[0], in.cells[1], in.cells[2], computes, in.reach, ranks);
  const md::triple& grid = chosen.run.what.on.points;
  if (chosen.grid.empty()) return;
  fmt::print("charges: on {} x {} x {} points, beta {:.4f}; planes on {} ranks\n", grid[0], grid[1],
             grid[2], chosen.run.what.on.beta, std::min(ranks, grid[0]));
}

/// What the energies are like, a particle.
void print_energies(const md::outcome& one, std::size_t particles) {
  const auto count = static_cast<double>(particles);
  const double first = one.by_step.front().total();
  double furthest = 0;
  for (const md::energies& each : one.by_step) {
    furthest = std::max(furthest, std::abs(each.total() - first));
  }
  const md::energies& last = one.by_step.back();
  fmt::print(
      "energy: {:.6f} a particle at first; at the end {:.6f}, {:.6f} of it kinetic; "
      "at most {:.2g} away\n",
      first / count, last.total() / count, last.kinetic / count, furthest / count);
}

struct row {
  std::string way;  ///< of forces, or of the grid's transpose
  md::outcome is;
};

double messages_a_step(const options& chosen, const md::outcome& one) {
  return static_cast<double>(one.messages) / chosen.run.what.steps;
}

void print_balance(const md::outcome& one) {
  if (one.balanced == 0) return;
  fmt::print(
      "balanced: {} times, {} computes moved: the longest rank computes {:.3f} ms, before {:.3f}\n",
      one.balanced, one.moved_to_balance, ms(one.longest_after), ms(one.longest_before));
}

void print_one(const options& chosen, const row& one) {
  fmt::print("time: {:.4f} ms a step by {}, {:.1f} messages; {} objects moved\n",
             ms(one.is.known.back()) / chosen.run.what.steps, one.way,
             messages_a_step(chosen, one.is), one.is.migrations);
  print_balance(one.is);
}

/// The first goes direct, or is the blocking transpose.
void print_table(const options& chosen, const std::vector<row>& all) {
  const bool charged = !chosen.grid.empty();
  fmt::print("{:<14}{:>12}{:>14}{:>18}{:>15}\n", charged ? "transpose" : "exchange", "ms a step",
             "over " + all.front().way, "messages a step", "objects moved");
  const double direct = ms(all.front().is.known.back());
  for (const row& each : all) {
    const double time = ms(each.is.known.back());
    fmt::print("{:<14}{:>12.4f}{:>14.3f}{:>18.1f}{:>15}\n", each.way, time / chosen.run.what.steps,
               direct / time, messages_a_step(chosen, each.is), each.is.migrations);
  }
}

/// What a late rank costs, beside how long it is late: in pairs of runs, without it and with it.
void print_losses(const options& chosen, const std::vector<row>& all) {
  const md::lateness& late = chosen.run.late;
  const int times = chosen.run.what.steps / late.every;
  fmt::print("rank {} is late {} times, {:.3f} ms together\n", late.rank, times,
             ms(late.time) * times);
  fmt::print("{:<14}{:>12}{:>14}{:>12}\n", "energies", "quiet ms", "with noise", "lost ms");
  for (std::size_t i = 0; i + 1 < all.size(); i += 2) {
    const double quiet = ms(all[i].is.known.back());
    const double noisy = ms(all[i + 1].is.known.back());
    fmt::print("{:<14}{:>12.3f}{:>14.3f}{:>12.3f}\n", i == 0 ? "asynchronous" : "blocking", quiet,
               noisy, noisy - quiet);
  }
}

/// Whether energies are the same within what the order of sums does.
bool same(const std::vector<md::energies>& a, const std::vector<md::energies>& b) {
  const auto near = [](double x, double y) {
    return std::abs(x - y) <= 1e-11 * (std::abs(x) + std::abs(y));
  };
  return std::ranges::equal(a, b, [&](const md::energies& x, const md::energies& y) {
    return x.step == y.step && near(x.potential, y.potential) && near(x.kinetic, y.kinetic);
  });
}

bool print_check(const options& chosen, const std::vector<row>& all,
                 const std::vector<md::particle>& begin) {
  const md::serial_run wanted = md::run_serially(chosen.run.what, begin);
  std::string wrong;
  for (const row& each : all) {
    const bool good = each.is.mark == md::mark_of(wanted.all);
    if (good && same(each.is.by_step, wanted.by_step)) continue;
    wrong += fmt::format("{}{} by {}", wrong.empty() ? "" : ", ", good ? "energies" : "particles",
                         each.way);
  }
  fmt::print("verified: {}\n", wrong.empty() ? "yes" : "no, " + wrong + " differ");
  return wrong.empty();
}

std::vector<row> run_ways(upwash::job& here, const options& chosen,
                          const std::vector<md::particle>& begin) {
  std::vector<row> rows;
  md::settings run = chosen.run;
  run.exchange = chosen.exchanges.front();
  const bool charged = !chosen.grid.empty();
  for (const std::string& each : charged ? chosen.transposes : chosen.exchanges) {
    (charged ? run.transpose : run.exchange) = each;
    rows.push_back({each, md::run_by_objects(here, run, begin)});
  }
  return rows;
}

std::vector<row> run_with_noise(upwash::job& here, const options& chosen,
                                const std::vector<md::particle>& begin) {
  std::vector<row> rows;
  for (const bool waits : {false, true}) {
    for (const bool noisy : {false, true}) {
      md::settings run = chosen.run;
      run.exchange = chosen.exchanges.front();
      run.wait_for_energies = waits;
      if (!noisy) run.late = {};
      rows.push_back({run.exchange, md::run_by_objects(here, run, begin)});
    }
  }
  return rows;
}

int run_rank(upwash::job& here, int argc, char** argv) {
  options chosen;
  const int early = md::read_options(here, argc, argv, chosen);
  if (early >= 0) return early;
  md::population all;
  const auto make = [&] {
    md::choose_ways(chosen);
    all = md::prepare(chosen, here.size());
  };
  if (!apps::all_prepared(here, "md", make)) return apps::bad_input;
  const bool both = chosen.energies == "both";
  const std::vector<row> rows =
      both ? run_with_noise(here, chosen, all.all) : run_ways(here, chosen, all.all);
  if (here.rank() != 0) return 0;
  print_head(here.size(), chosen, all.all.size());
  if (both) {
    print_losses(chosen, rows);
  } else {
    chosen.compare ? print_table(chosen, rows) : print_one(chosen, rows.front());
  }
  print_energies(rows.front().is, all.all.size());
  return chosen.check && !print_check(chosen, rows, all.all) ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  return upwash::run(argc, argv, [&](upwash::job& here) { return run_rank(here, argc, argv); });
}
