// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// stencil: steps of a 5-point stencil on a periodic square, or of 7 or 27 points on a cube, cut
// into boxes over all ranks.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "apps/common/medians.hpp"
#include "apps/common/program.hpp"
#include "apps/stencil/run.hpp"
#include "upwash/upwash.hpp"

namespace {

struct options {
  stencil::task what;
  std::vector<std::string> exchanges;
  bool compare = false;
  bool check = false;
  int repeats = 5;
};

/// The exit status when the program should end here, else -1.
int read_options(const upwash::job& here, int argc, char** argv, options& chosen) {
  CLI::App app("Steps of a stencil on a periodic cube or square of cells", "stencil");
  app.add_option("--size", chosen.what.of.side, "Cells a side of the cube, or square")
      ->check(CLI::Range(1, 2000))
      ->capture_default_str();
  app.add_option("--points", chosen.what.of.points,
                 "7: a cell of a cube and those at its faces; 27: all around; 5: of a square")
      ->check(CLI::IsMember({5, 7, 27}))
      ->capture_default_str();
  app.add_option("--steps", chosen.what.steps, "Steps of a turn")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_option("--exchange", chosen.exchanges,
                 "How cells come to neighbours: puts, messages, a scheme of neighbours (direct, "
                 "best, ...; upwash schedule neighbor_all_to_all lists them), or by objects, whose "
                 "exchange is their whole time: objects, aggregated, aggregated2d")
      ->allow_extra_args(false)
      ->default_str("best");
  app.add_flag("--compare", chosen.compare,
               "Exchange by messages, puts, direct, best and each --exchange in turn");
  app.add_flag("--check", chosen.check, "Compare with steps by one processor");
  app.add_option("--objects", chosen.what.objects, "Boxes a rank, where objects do the steps")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  app.add_flag("--hash", chosen.what.by_hash, "Boxes begin anywhere, not beside their neighbours");
  app.add_option("--buffer", chosen.what.buffer_bytes,
                 "Bytes of a buffer of aggregated calls; else streams choose")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--wander", chosen.what.wander, "Boxes move after so many steps; 0: they stay")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  app.add_option("--repeats", chosen.repeats, "The median of so many turns is printed")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--mflops", chosen.what.mflops, "Speed of a simulated processor")
      ->check(apps::number_in(1e-3, 1e9))
      ->capture_default_str();
  return apps::read_command_line(here, app, argc, argv);
}

/// What is asked for becomes what is run: without --compare one exchange.
void choose_exchanges(options& chosen) {
  std::vector<std::string> all;
  if (chosen.compare) {
    all = {std::string(stencil::messages), std::string(stencil::puts), "direct", "best"};
  } else if (chosen.exchanges.empty()) {
    all = {"best"};
  }
  for (const std::string& each : chosen.exchanges) {
    if (std::find(all.begin(), all.end(), each) == all.end()) all.push_back(each);
  }
  if (!chosen.compare && all.size() > 1) {
    throw upwash::error(
        upwash::error_kind::configuration,
        fmt::format("--exchange is given {} times; several are run by --compare only",
                    chosen.exchanges.size()));
  }
  chosen.exchanges = all;
}

double ms(upwash::duration time) { return time.us() / 1e3; }

void print_head(int ranks, const stencil::task& what) {
  fmt::print("cells: {}^{}, {} points, on {} ranks, {}\n", what.of.side, what.of.dimensions(),
             what.of.points, ranks, stencil::text_of(stencil::sides_of(ranks, what.of), what.of));
}

void print_one(const options& chosen, const stencil::timed_run& one) {
  const int steps = chosen.what.steps;
  fmt::print("exchange: by {}, {:.4f} ms a step; {:.3f} ms to make it with the first\n", one.by,
             ms(apps::median(one.exchange)) / steps, ms(one.first));
  fmt::print("time: {:.3f} ms, {} steps (slowest rank, median of {})\n", ms(apps::median(one.all)),
             steps, chosen.repeats);
}

/// The first goes by messages, the third direct.
void print_table(const options& chosen, const std::vector<stencil::timed_run>& all) {
  fmt::print(
      "time: slowest rank, median of {} turns of {} steps; exchanges how many times as fast, "
      "turn by turn\n",
      chosen.repeats, chosen.what.steps);
  fmt::print("{:<16}{:>12}{:>12}{:>12}{:>17}{:>15}{:>13}\n", "exchange", "ms a step", "all ms",
             "first ms", "messages a step", "over messages", "over direct");
  for (const stencil::timed_run& each : all) {
    fmt::print("{:<16}{:>12.4f}{:>12.3f}{:>12.3f}{:>17.1f}{:>15.2f}{:>13.2f}\n", each.by,
               ms(apps::median(each.exchange)) / chosen.what.steps, ms(apps::median(each.all)),
               ms(each.first), static_cast<double>(each.messages) / chosen.what.steps,
               apps::median_ratio(all[0].exchange, each.exchange),
               apps::median_ratio(all[2].exchange, each.exchange));
  }
}

/// Says at rank 0 whether all runs end with the cells of one processor.
bool print_check(const stencil::task& what, const std::vector<stencil::timed_run>& all) {
  const std::uint64_t wanted = stencil::serial_mark(what.of, what.steps);
  std::string wrong;
  for (const stencil::timed_run& each : all) {
    if (each.mark != wanted) wrong += fmt::format("{}{}", wrong.empty() ? "" : ", ", each.by);
  }
  fmt::print("verified: {}\n",
             wrong.empty() ? "yes" : fmt::format("no, cells differ by {}", wrong));
  return wrong.empty();
}

int run_rank(upwash::job& here, int argc, char** argv) {
  options chosen;
  const int early = read_options(here, argc, argv, chosen);
  if (early >= 0) return early;
  std::vector<stencil::timed_run> all;
  const auto prepare = [&] {
    choose_exchanges(chosen);
    static_cast<void>(stencil::places_of(here.size(), chosen.what));
  };
  const auto make = [&] { all = stencil::make_runs(here, chosen.what, chosen.exchanges); };
  if (!apps::all_prepared(here, "stencil", prepare) || !apps::all_prepared(here, "stencil", make)) {
    return apps::bad_input;
  }
  stencil::run_in_turn(here, chosen.what, all, chosen.repeats);
  if (here.rank() != 0) return 0;
  print_head(here.size(), chosen.what);
  chosen.compare ? print_table(chosen, all) : print_one(chosen, all.front());
  return chosen.check && !print_check(chosen.what, all) ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  return upwash::run(argc, argv, [&](upwash::job& here) { return run_rank(here, argc, argv); });
}
