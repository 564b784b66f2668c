// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Molecular dynamics without ranks: forces against those of all pairs and of the potential's slope,
// steps that keep the energy, cells of any number, files.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "apps/md/serial.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/random.hpp"

namespace md {
namespace {

double length(const vec& of) { return std::sqrt(dot(of, of)); }

/// Drawn at random, not closer to each other than 0.8: in sparse boxes only, or there is no end.
std::vector<vec> scattered(int count, const vec& box) {
  upwash::random_stream draws(3, 1);
  std::vector<vec> all;
  while (static_cast<int>(all.size()) < count) {
    const vec at{box.x * draws.fraction(), box.y * draws.fraction(), box.z * draws.fraction()};
    bool free = true;
    for (int image = 0; image < 27; ++image) {
      const vec away{box.x * (image / 9 - 1), box.y * (image / 3 % 3 - 1), box.z * (image % 3 - 1)};
      for (const vec& other : all) free = free && length(at - other - away) > 0.8;
    }
    if (free) all.push_back(at);
  }
  return all;
}

/// Of all pairs and images within the cutoff, without cells.
double potential_of(const std::vector<vec>& all, const vec& box, double cutoff) {
  const double lift = 4 * (std::pow(cutoff, -6) - std::pow(cutoff, -12));
  double sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < all.size(); ++j) {
      for (int image = 0; image < 343; ++image) {
        const vec away{box.x * (image / 49 - 3), box.y * (image / 7 % 7 - 3),
                       box.z * (image % 7 - 3)};
        const double r = length(all[i] - all[j] - away);
        if (r == 0 || r >= cutoff) continue;
        sum += (4 * (std::pow(r, -12) - std::pow(r, -6)) + lift) / 2;
      }
    }
  }
  return sum;
}

std::vector<particle> at_rest(const std::vector<vec>& places) {
  std::vector<particle> all;
  for (const vec& each : places) all.push_back({each, {}, static_cast<std::int64_t>(all.size())});
  return all;
}

task of(const vec& box, double cutoff, int reach, int steps) {
  return {space::cut(box, cutoff, 0.2, reach), steps, 2, 0.002};
}

TEST(md, cells_of_any_number_have_the_potential_of_all_pairs) {
  for (const vec& box : {vec{2.8, 2.8, 2.8}, vec{2.8, 5.5, 3}, vec{8.2, 2.9, 6}, vec{9, 9, 9}}) {
    const std::vector<vec> places = scattered(12, box);
    const double wanted = potential_of(places, box, 2.5);
    for (const int reach : {1, 2, 3}) {
      const serial_run run = run_serially(of(box, 2.5, reach, 0), at_rest(places));
      EXPECT_NEAR(run.by_step[0].potential, wanted, 1e-9 * std::abs(wanted))
          << box.x << " x " << box.y << " x " << box.z << ", " << reach << "-away";
    }
  }
}

TEST(md, forces_are_the_slope_of_the_potential) {
  const vec box{6, 6, 6};
  const std::vector<vec> places = scattered(40, box);
  task one = of(box, 2.5, 2, 1);
  // After one step from rest a particle has moved by half its force times the square of the time.
  const serial_run run = run_serially(one, at_rest(places));
  const double square = one.time_step * one.time_step;
  constexpr double little = 1e-6;
  for (const std::size_t i : {0U, 7U, 39U}) {
    std::vector<vec> there = places;
    there[i].x += little;
    const double up = potential_of(there, box, 2.5);
    there[i].x -= 2 * little;
    const double force = (potential_of(there, box, 2.5) - up) / (2 * little);
    EXPECT_NEAR((run.all[i].at.x - places[i].x) * 2 / square, force, 1e-4 * (1 + std::abs(force)))
        << "particle " << i;
  }
}

TEST(md, steps_keep_energy_and_momentum_and_particles) {
  population all = lattice({8.7, 8.7, 5.8}, 0.8442);
  heat(all.all, 1.44, 1);
  task what = of(all.box, 2.5, 1, 400);
  what.time_step = 0.004;
  const serial_run run = run_serially(what, all.all);
  const auto count = static_cast<double>(all.all.size());
  double least_kinetic = run.by_step[0].kinetic;
  for (const energies& each : run.by_step) {
    EXPECT_NEAR(each.total() / count, run.by_step[0].total() / count, 2e-3) << each.step;
    EXPECT_LT(length(each.momentum), 1e-9) << each.step;
    least_kinetic = std::min(least_kinetic, each.kinetic);
  }
  EXPECT_LT(least_kinetic, 0.8 * run.by_step[0].kinetic) << "the lattice did not melt";
  ASSERT_EQ(run.all.size(), all.all.size());
  for (std::size_t i = 0; i < run.all.size(); ++i) EXPECT_EQ(run.all[i].id, all.all[i].id);
}

TEST(md, reach_changes_what_is_computed_but_not_what_comes_out) {
  population all = lattice({8.7, 5.8, 8.7}, 0.8442);
  heat(all.all, 1, 1);
  const serial_run one = run_serially(of(all.box, 2.5, 1, 20), all.all);
  const serial_run two = run_serially(of(all.box, 2.5, 2, 20), all.all);
  EXPECT_NE(of(all.box, 2.5, 1, 20).in.cells, of(all.box, 2.5, 2, 20).in.cells);
  for (std::size_t i = 0; i < one.all.size(); ++i) {
    const vec way = one.all[i].speed - two.all[i].speed;
    EXPECT_LT(length(way), 1e-9) << "particle " << i;
  }
}

TEST(md, each_pair_of_neighbours_has_one_compute) {
  for (const triple& cells : {triple{1, 1, 1}, {2, 1, 3}, {5, 5, 5}, {3, 4, 7}}) {
    for (const int reach : {1, 2}) {
      const double side = 2.7 / reach;
      const space in =
          space::cut({side * cells[0], side * cells[1], side * cells[2]}, 2.5, 0.2, reach);
      ASSERT_EQ(in.cells, cells);
      std::size_t named = 0;
      std::size_t expected = 0;
      for (const cell_index& each : upwash::all_indices<cell_index>(in.cell_extents())) {
        const auto computes = in.computes_of(each);
        named += computes.size();
        EXPECT_EQ(std::set(computes.begin(), computes.end()).size(), computes.size());
      }
      for (const compute_index& pair : upwash::all_indices<compute_index>(in.compute_extents())) {
        expected += first_of(pair) == in.second_of(pair) ? 1 : 2;
      }
      EXPECT_EQ(named, expected);
    }
  }
}

TEST(md, a_particle_too_far_outside_its_cell_is_an_error) {
  population all = lattice({8.7, 8.7, 8.7}, 0.8442);
  heat(all.all, 20, 1);
  task what = of(all.box, 2.5, 1, 200);
  what.migrate = 1000;
  try {
    static_cast<void>(run_serially(what, all.all));
    FAIL() << "no particle left its cell";
  } catch (const upwash::error& failure) {
    EXPECT_TRUE(std::string(failure.what()).find("--migrate") != std::string::npos)
        << failure.what();
  }
}

std::string refusal_of(const std::string& text) {
  const std::string path = testing::TempDir() + fmt::format("md_test.{}.pdb", getpid());
  std::ofstream(path) << text;
  try {
    static_cast<void>(read_pdb(path, 1));
  } catch (const upwash::error& failure) {
    return std::string(failure.what()).substr(path.size());
  }
  return "accepted";
}

constexpr const char* box_line =
    "CRYST1   30.000   20.000   10.000  90.00  90.00  90.00 P 1           1\n";

TEST(md, files_give_a_particle_a_residue) {
  const population water = read_pdb(UPWASH_SOURCE_DIR "/data/molecular/water_tip3p.pdb", 3);
  ASSERT_EQ(water.all.size(), 895U);
  EXPECT_DOUBLE_EQ(water.box.y, 10);
  EXPECT_DOUBLE_EQ(water.all[0].at.x, 4.125 / 3);
  for (const particle& each : water.all) {
    EXPECT_GE(each.at.x, 0);
    EXPECT_LT(each.at.x, 10);
  }
  const std::string path = testing::TempDir() + fmt::format("md_test.{}.pdb", getpid());
  std::ofstream(path) << box_line
                      << "ATOM      1  N   MET A   1      -1.000   1.000   1.000\n"
                         "ATOM      2  CA  MET A   1      -2.000  21.000   3.000\n"
                         "ATOM      3  N   VAL A   2       5.000   1.000   1.000\n";
  const population protein = read_pdb(path, 2);
  ASSERT_EQ(protein.all.size(), 2U);
  EXPECT_DOUBLE_EQ(protein.all[0].at.x, 14);
  EXPECT_DOUBLE_EQ(protein.all[0].at.y, 0.5);
  EXPECT_DOUBLE_EQ(protein.all[1].at.x, 2.5);
}

TEST(md, files_that_make_no_sense_are_refused_by_line) {
  const std::string atom = "ATOM      1  O   HOH A   1       4.125  13.679  13.761\n";
  EXPECT_EQ(refusal_of(atom), ": has no CRYST1 line, which says how large the box is");
  EXPECT_EQ(refusal_of(box_line), ": has no atoms; expected ATOM or HETATM lines");
  EXPECT_EQ(refusal_of(box_line + std::string("ATOM      1  O   HOH A   1       4.x25  13.679\n")),
            ":2: columns 31 to 38 hold '4.x25', which is no number");
  EXPECT_EQ(refusal_of("CRYST1   30.000   20.000   10.000  90.00  91.00  90.00 P 1\n" + atom),
            ":1: the box is not rectangular; expected angles of 90");
  EXPECT_EQ(refusal_of("CRYST1    0.000   20.000   10.000  90.00  90.00  90.00 P 1\n" + atom),
            ":1: a side of the box is not positive");
}

TEST(md, boxes_that_cannot_be_cut_are_refused) {
  EXPECT_THROW(static_cast<void>(space::cut({2, 9, 9}, 2.5, 0.2, 1)), upwash::error);
  EXPECT_THROW(static_cast<void>(space::cut({9e9, 9, 9}, 2.5, 0.2, 1)), upwash::error);
}

}  // namespace
}  // namespace md
