// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// planewave: the communication of a plane-wave electronic-structure step, by objects.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "apps/common/program.hpp"
#include "apps/planewave/run.hpp"
#include "upwash/upwash.hpp"

namespace {

struct options {
  planewave::settings run;
  std::vector<std::string> mappings{"planes"};
  std::vector<std::string> transposes{"direct"};
  std::vector<int> buckets{10};
  std::vector<std::string> multicasts{"tree"};
  bool compare = false;
  bool without_arithmetic = false;
  bool check = false;
};

/// One of these, or each_to_many_multicast with an algorithm behind a colon.
std::string refuse_multicast(const std::string& text) {
  std::string all;
  for (const std::string& each : planewave::multicasts()) {
    if (text == each) return {};
    all += each + ", ";
  }
  if (text.starts_with("each_to_many_multicast:")) return {};
  return fmt::format("{} is none of {}each_to_many_multicast:ALGORITHM", text, all);
}

void add_work(CLI::App& app, options& chosen) {
  planewave::box& in = chosen.run.in;
  app.add_option("--states", in.states, "Each has a wave function of its own")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  app.add_option("--planes", in.planes, "Of a state in real space, in x and z")
      ->check(CLI::Range(4, 4096))
      ->capture_default_str();
  app.add_option("--points", in.points, "In y: a plane has --planes times as many")
      ->check(CLI::Range(4, 4096))
      ->capture_default_str();
  app.add_option("--steps", chosen.run.steps)->check(CLI::Range(1, 100000))->capture_default_str();
  app.add_option("--mflops", chosen.run.mflops, "Speed of a simulated processor")
      ->check(apps::number_in(1e-3, 1e9))
      ->capture_default_str();
  app.add_flag("--without-arithmetic", chosen.without_arithmetic,
               "All values are 0; messages are as long, and take as long");
  app.add_flag("--check", chosen.check, "Compare with a run by one processor");
}

void add_running(CLI::App& app, options& chosen) {
  app.add_option("--mapping", chosen.mappings,
                 "What is on the same ranks: planes of a state, or planes with the same number")
      ->delimiter(',')
      ->check(CLI::IsMember({"states", "planes"}))
      ->capture_default_str();
  app.add_option("--transpose", chosen.transposes, "How pieces of planes travel")
      ->delimiter(',')
      ->check(CLI::IsMember(planewave::transposes()))
      ->capture_default_str();
  app.add_option("--bucket", chosen.buckets, "Pieces in a buffer of streaming")
      ->delimiter(',')
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  app.add_option("--multicast", chosen.multicasts, "How the potential of a plane travels")
      ->delimiter(',')
      ->check(refuse_multicast, "direct, ring, tree, each_to_many_multicast[:ALGORITHM]")
      ->capture_default_str();
  app.add_option("--wander", chosen.run.wander,
                 "Objects go to a random rank once in so many steps; 0: never")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  app.add_flag("--compare", chosen.compare, "Run both mappings by all transposes in turn");
}

int read_options(const upwash::job& here, int argc, char** argv, options& chosen) {
  CLI::App app("The communication of a plane-wave electronic-structure step, by objects",
               "planewave");
  add_work(app, chosen);
  add_running(app, chosen);
  return apps::read_command_line(here, app, argc, argv);
}

struct row {
  planewave::settings how;
  planewave::outcome is;
};

std::string_view name_of(planewave::mapping by) {
  return by == planewave::mapping::states ? "states" : "planes";
}

std::string transpose_of(const planewave::settings& how) {
  if (how.transpose != "streaming") return how.transpose;
  return fmt::format("streaming, bucket {}", how.bucket);
}

/// Each with each; buckets for streaming only.
std::vector<planewave::settings> runs_of(const options& chosen) {
  std::vector<planewave::settings> all;
  planewave::settings one = chosen.run;
  one.arithmetic = !chosen.without_arithmetic;
  for (const std::string& mapping : chosen.mappings) {
    one.by = mapping == "states" ? planewave::mapping::states : planewave::mapping::planes;
    for (const std::string& transpose : chosen.transposes) {
      one.transpose = transpose;
      const bool streams = transpose == "streaming";
      for (std::size_t i = 0; i < (streams ? chosen.buckets.size() : 1); ++i) {
        one.bucket = chosen.buckets[i];
        for (const std::string& multicast : chosen.multicasts) {
          one.multicast = multicast;
          all.push_back(one);
        }
      }
    }
  }
  return all;
}

void check_options(options& chosen) {
  if (chosen.compare) {
    chosen.mappings = {"states", "planes"};
    chosen.transposes = planewave::transposes();
  }
  if (chosen.check && chosen.without_arithmetic) {
    throw upwash::error(upwash::error_kind::configuration,
                        "--check compares what is computed; give no --without-arithmetic");
  }
}

void print_head(int ranks, const options& chosen) {
  const planewave::box& in = chosen.run.in;
  const auto waves = planewave::waves_of(in);
  std::size_t columns = 0;
  for (const auto& each : waves) columns += each.columns.size();
  fmt::print(
      "{} states of {} x {} x {} points: {} planes of real space, {} of waves, with {} columns a "
      "state, on {} ranks\n",
      in.states, in.planes, in.points, in.planes, in.planes, waves.size(), columns, ranks);
  fmt::print("potential of a plane: {} bytes\n", in.plane_points() * sizeof(double));
}

/// Behind the first orthonormalisation.
double ms_a_step(const row& one) {
  return (one.is.known.back() - one.is.known.front()).us() / 1e3 / one.how.steps;
}

void print_rows(const std::vector<row>& all) {
  fmt::print("{:<9}{:<22}{:<32}{:>12}{:>18}{:>15}\n", "mapping", "transpose", "multicast",
             "ms a step", "messages a step", "objects moved");
  for (const row& each : all) {
    fmt::print("{:<9}{:<22}{:<32}{:>12.3f}{:>18.1f}{:>15}\n", name_of(each.how.by),
               transpose_of(each.how), each.how.multicast, ms_a_step(each),
               static_cast<double>(each.is.messages) / each.how.steps, each.is.migrations);
  }
}

/// Of the last step; the charge is 1 a point where norms are 1.
void print_result(const row& one) {
  const planewave::step_result& last = one.is.found.steps.back();
  fmt::print("density: {:.9f} a point, energy {:.9f}\n",
             last.density.charge / one.how.in.all_points(),
             last.density.energy / one.how.in.all_points());
}

bool print_check(const std::vector<row>& all) {
  const planewave::settings& how = all.front().how;
  const planewave::result wanted = planewave::run_serially(how.in, how.steps);
  std::string wrong;
  for (const row& each : all) {
    if (planewave::agree(each.is.found, wanted)) continue;
    wrong += fmt::format("{}{} by {} and {}", wrong.empty() ? "" : "; ", name_of(each.how.by),
                         transpose_of(each.how), each.how.multicast);
  }
  fmt::print("verified: {}\n", wrong.empty() ? "yes" : "no: " + wrong);
  return wrong.empty();
}

int run_rank(upwash::job& here, int argc, char** argv) {
  options chosen;
  const int early = read_options(here, argc, argv, chosen);
  if (early >= 0) return early;
  if (!apps::all_prepared(here, "planewave", [&] { check_options(chosen); })) {
    return apps::bad_input;
  }
  std::vector<row> rows;
  for (const planewave::settings& how : runs_of(chosen)) {
    rows.push_back({how, {}});
    rows.back().is = planewave::run_by_objects(here, rows.back().how);
  }
  if (here.rank() != 0) return 0;
  print_head(here.size(), chosen);
  print_rows(rows);
  if (!chosen.without_arithmetic) print_result(rows.front());
  return chosen.check && !print_check(rows) ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  return upwash::run(argc, argv, [&](upwash::job& here) { return run_rank(here, argc, argv); });
}
