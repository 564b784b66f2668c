// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/md/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "apps/common/program.hpp"
#include "upwash/base/error.hpp"
#include "upwash/upwash.hpp"

namespace md {
namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw upwash::error(upwash::error_kind::configuration, why);
}

void add_physics(CLI::App& app, options& chosen) {
  app.add_option("--file", chosen.file,
                 "A PDB file: a particle for each residue; else a lattice that fills the cells");
  app.add_option("--sigma", chosen.sigma, "Of the particles of a file, in angstroms")
      ->check(apps::number_in(1e-3, 1e3))
      ->capture_default_str();
  app.add_option("--cells", chosen.cells, "Cells of a lattice in x, y and z, such as 4,4,2")
      ->delimiter(',')
      ->expected(3)
      ->check(CLI::Range(1, 1000));
  app.add_option("--cells-a-rank", chosen.cells_a_rank, "Where no --cells are given")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  app.add_option("--k-away", chosen.reach, "Cells within the cutoff are at most so many away")
      ->check(CLI::Range(1, 4))
      ->capture_default_str();
  app.add_option("--cutoff", chosen.cutoff, "Of the potential, in sigma")
      ->check(apps::number_in(1, 100))
      ->capture_default_str();
  app.add_option("--margin", chosen.margin, "Cells reach so much further, in sigma")
      ->check(apps::number_in(0.01, 100))
      ->capture_default_str();
  app.add_option("--density", chosen.density, "Particles of the lattice a cubic sigma")
      ->check(apps::number_in(0.01, 1.2))
      ->capture_default_str();
  app.add_option("--temperature", chosen.temperature, "At the beginning, in epsilon")
      ->check(apps::number_in(0, 100))
      ->capture_default_str();
  app.add_option("--time-step", chosen.run.what.time_step)
      ->check(apps::number_in(1e-6, 0.1))
      ->capture_default_str();
  app.add_option("--steps", chosen.run.what.steps)
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_option("--migrate", chosen.run.what.migrate, "Particles change cells every so many steps")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_option("--seed", chosen.seed, "Of the speeds")->capture_default_str();
}

void add_running(CLI::App& app, options& chosen) {
  app.add_option("--exchange", chosen.exchanges, "How forces travel")
      ->allow_extra_args(false)
      ->check(CLI::IsMember(exchanges()))
      ->default_str("direct");
  app.add_flag("--compare", chosen.compare,
               "Run direct, aggregated and aggregated2d, and each --exchange, in turn");
  app.add_option("--buffer", chosen.buffer, "Bytes of a buffer of streams; 0: as streams choose")
      ->check(CLI::Range(0, 1 << 20))
      ->capture_default_str();
  app.add_option(
         "--energies", chosen.energies,
         "Whether each step waits for those of the last; both: what a late rank costs either way")
      ->check(CLI::IsMember({"asynchronous", "blocking", "both"}))
      ->capture_default_str();
  app.add_option("--placement", chosen.placement, "Where objects begin")
      ->check(CLI::IsMember({"blocks", "hash"}))
      ->capture_default_str();
  app.add_option("--wander", chosen.run.wander,
                 "Objects go to a random rank once in so many steps; 0: never")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  app.add_option("--balance", chosen.run.balance,
                 "Computes are balanced once in so many steps; 0: never")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  app.add_option("--noise", chosen.noise, "RANK:EVERY:MS: a rank is late, once in so many steps");
  app.add_option("--pair-ns", chosen.pair_ns, "Of a simulated processor, a pair of particles")
      ->check(apps::number_in(0, 1e9))
      ->capture_default_str();
  app.add_flag("--check", chosen.check, "Compare with a run by one processor");
}

void add_charges(CLI::App& app, options& chosen) {
  app.add_option("--pme-grid", chosen.grid,
                 "Points in x, y and z, such as 32,32,32: particles are charged, their forces by "
                 "particle-mesh Ewald")
      ->delimiter(',')
      ->expected(3)
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--pme-tolerance", chosen.tolerance,
                 "What pairs at the cutoff have left of the energy of their charges")
      ->check(apps::number_in(1e-12, 0.1))
      ->capture_default_str();
  app.add_option("--charge", chosen.charge, "Of the ions of a lattice, + and -")
      ->check(apps::number_in(0, 100))
      ->capture_default_str();
  app.add_option("--pme-transpose", chosen.transposes,
                 "How the grid is transposed; with --compare all, or those given")
      ->allow_extra_args(false)
      ->check(CLI::IsMember(transposes()))
      ->default_str("direct");
  app.add_option("--point-ns", chosen.point_ns,
                 "Of a simulated processor, a charge at one of its 64 points of the grid")
      ->check(apps::number_in(0, 1e9))
      ->capture_default_str();
  app.add_option("--mflops", chosen.run.mflops, "Speed of a simulated processor that transforms")
      ->check(apps::number_in(1e-3, 1e9))
      ->capture_default_str();
}

lateness read_noise(const std::string& text, int ranks) {
  lateness late;
  double ms = 0;
  char end = 0;
  const bool read =
      std::sscanf(text.c_str(), "%d:%d:%lf%c", &late.rank, &late.every, &ms, &end) == 3;
  if (read && late.rank >= 0 && late.rank < ranks && late.every > 0 && ms >= 0 && ms < 1e6) {
    late.time = upwash::duration::from_us(ms * 1e3);
    return late;
  }
  throw upwash::error(
      upwash::error_kind::configuration,
      fmt::format("--noise {}: expected RANK:EVERY:MS, a rank from 0 to {}, a number of steps, and "
                  "milliseconds, such as 0:10:0.5",
                  text, ranks - 1));
}

/// The cells of a lattice: as given, or so many a rank, as cubic as their number allows.
triple cells_of(const options& chosen, int ranks) {
  if (!chosen.cells.empty()) return {chosen.cells[0], chosen.cells[1], chosen.cells[2]};
  const auto on = upwash::grid::balanced(chosen.cells_a_rank * ranks, 3, true);
  return {on.size(0), on.size(1), on.size(2)};
}

void choose_transposes(options& chosen) {
  if (chosen.grid.empty()) {
    if (chosen.transposes.empty()) return;
    refuse("--pme-transpose is of charges on a grid: give --pme-grid X,Y,Z too");
  }
  if (chosen.grid[1] > chosen.grid[0]) {
    refuse(fmt::format("--pme-grid {},{},{}: has more planes of y than of x; turn the box",
                       chosen.grid[0], chosen.grid[1], chosen.grid[2]));
  }
  if (chosen.transposes.empty() && chosen.compare) chosen.transposes = transposes();
  if (chosen.transposes.empty()) chosen.transposes = {"direct"};
  if (!chosen.compare && chosen.transposes.size() > 1) {
    refuse(fmt::format("--pme-transpose is given {} times; several are run by --compare only",
                       chosen.transposes.size()));
  }
}

void choose_exchanges(options& chosen) {
  std::vector<std::string> all;
  if (chosen.compare && chosen.grid.empty()) all = {"direct", "aggregated", "aggregated2d"};
  if (all.empty() && chosen.exchanges.empty()) all = {"direct"};
  for (const std::string& each : chosen.exchanges) {
    if (std::ranges::find(all, each) == all.end()) all.push_back(each);
  }
  if (!chosen.compare && all.size() > 1) {
    throw upwash::error(
        upwash::error_kind::configuration,
        fmt::format("--exchange is given {} times; several are run by --compare only",
                    chosen.exchanges.size()));
  }
  chosen.exchanges = all;
  if (chosen.energies != "both" || (!chosen.compare && !chosen.noise.empty())) return;
  throw upwash::error(upwash::error_kind::configuration,
                      "--energies both compares runs with a --noise, by one --exchange: give "
                      "--noise RANK:EVERY:MS, and no --compare");
}

}  // namespace

int read_options(const upwash::job& here, int argc, char** argv, options& chosen) {
  CLI::App app("Molecular dynamics by objects", "md");
  add_physics(app, chosen);
  add_charges(app, chosen);
  add_running(app, chosen);
  return apps::read_command_line(here, app, argc, argv);
}

void choose_ways(options& chosen) {
  choose_exchanges(chosen);
  choose_transposes(chosen);
}

population prepare(options& chosen, int ranks) {
  settings& run = chosen.run;
  run.pair_time = upwash::duration::from_ns(chosen.pair_ns);
  run.wait_for_energies = chosen.energies == "blocking";
  run.by_hash = chosen.placement == "hash";
  if (chosen.buffer > 0) run.buffer_bytes = chosen.buffer;
  if (!chosen.noise.empty()) run.late = read_noise(chosen.noise, ranks);
  const bool charged = !chosen.grid.empty();
  population made;
  if (chosen.file.empty()) {
    const triple cells = cells_of(chosen, ranks);
    const double side = (chosen.cutoff + chosen.margin) / chosen.reach;
    const vec box{side * cells[0], side * cells[1], side * cells[2]};
    made = charged ? salt(box, chosen.density, chosen.charge) : lattice(box, chosen.density);
  } else {
    made = read_pdb(chosen.file, chosen.sigma, charged ? water::sites : water::particles);
  }
  heat(made.all, chosen.temperature, chosen.seed, made.kinds);
  run.what.in = space::cut(made.box, chosen.cutoff, chosen.margin, chosen.reach);
  if (charged) {
    run.point_time = upwash::duration::from_ns(chosen.point_ns);
    run.what.kinds = made.kinds;
    run.what.springs = made.springs;
    run.what.on =
        mesh::over({chosen.grid[0], chosen.grid[1], chosen.grid[2]}, run.what.in, chosen.tolerance);
  }
  return made;
}

}  // namespace md
