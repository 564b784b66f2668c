// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Particle-mesh Ewald without ranks: a known sum, forces as slopes of energies, steps that keep the
// energy.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "apps/md/ewald.hpp"
#include "apps/md/serial.hpp"
#include "upwash/base/error.hpp"

namespace md {
namespace {

double length(const vec& of) { return std::sqrt(dot(of, of)); }

task of(const population& all, double cutoff, const triple& points, double tolerance) {
  task what{space::cut(all.box, cutoff, 0.9, 1), 0, 2, 0.002};
  what.kinds = all.kinds;
  what.springs = all.springs;
  what.on = mesh::over(points, what.in, tolerance);
  return what;
}

double potential_of(const task& what, const std::vector<particle>& all) {
  return run_serially(what, all).by_step[0].potential;
}

/// Energies of Lennard-Jones pairs alone.
double neutral_potential_of(const task& what, const std::vector<particle>& all) {
  task plain = what;
  plain.on = {};
  return potential_of(plain, all);
}

TEST(pme, rock_salt_has_the_constant_of_madelung) {
  // Charges one apart: each pair of ions has the energy -1.747565.
  const population all = salt({8, 8, 12}, 1, 1);
  ASSERT_EQ(all.all.size(), 768U);
  const task what = of(all, 3, {32, 32, 48}, 1e-5);
  const double energy = potential_of(what, all.all) - neutral_potential_of(what, all.all);
  EXPECT_NEAR(-energy / 768 * 2, 1.747565, 2e-4);
}

TEST(pme, how_it_is_split_does_not_matter) {
  population all = salt({8, 8, 12}, 1, 2);
  for (std::size_t i = 0; i < all.all.size(); ++i) {
    all.all[i].at.x += 0.1 * std::sin(static_cast<double>(i));
    all.all[i].at.y += 0.1 * std::cos(static_cast<double>(2 * i));
  }
  const double wide = potential_of(of(all, 3, {40, 40, 60}, 1e-6), all.all);
  const double narrow = potential_of(of(all, 3, {64, 60, 90}, 1e-8), all.all);
  EXPECT_NEAR(wide, narrow, 1e-4 * std::abs(narrow));
}

/// Forces by the way that a particle goes in its first step from rest, against slopes.
void compare_forces(const population& all, task what) {
  what.steps = 1;
  const serial_run run = run_serially(what, all.all);
  what.steps = 0;
  constexpr double little = 1e-5;
  vec sum;
  double greatest = 0;
  std::vector<vec> forces;
  for (std::size_t i = 0; i < all.all.size(); ++i) {
    const kind is = what.kinds.of(run.all[i].id);
    const double scale = 2 / (what.time_step * what.time_step * is.inverse_mass);
    forces.push_back((run.all[i].at - all.all[i].at) * scale);
    sum += forces.back();
    greatest = std::max(greatest, length(forces.back()));
  }
  EXPECT_LT(length(sum), 1e-3 * greatest * std::sqrt(static_cast<double>(all.all.size())));
  for (const std::size_t i : {std::size_t{0}, all.all.size() / 2 + 1, all.all.size() - 1}) {
    std::vector<particle> there = all.all;
    there[i].at.y += little;
    const double up = potential_of(what, there);
    there[i].at.y -= 2 * little;
    const double slope = (up - potential_of(what, there)) / (2 * little);
    EXPECT_NEAR(forces[i].y, -slope, 2e-5 * greatest) << "particle " << i;
  }
}

TEST(pme, forces_on_ions_are_the_slope_of_the_energy) {
  population all = salt({6, 6, 8}, 0.8, 2);
  for (std::size_t i = 0; i < all.all.size(); ++i) {
    all.all[i].at.x += 0.2 * std::sin(static_cast<double>(i));
    all.all[i].at.z += 0.2 * std::cos(static_cast<double>(3 * i));
  }
  task what = of(all, 2.5, {24, 24, 32}, 1e-6);
  what.time_step = 1e-3;
  compare_forces(all, what);
}

population water_box() {
  return read_pdb(UPWASH_SOURCE_DIR "/data/molecular/water_tip3p.pdb", 3.1507, water::sites);
}

TEST(pme, forces_on_water_are_the_slope_of_the_energy) {
  const population all = water_box();
  ASSERT_EQ(all.all.size(), 2685U);
  task what = of(all, 2.2, {32, 32, 32}, 1e-6);
  what.time_step = 1e-5;
  compare_forces(all, what);
}

TEST(pme, water_binds_as_water_does) {
  const population all = water_box();
  const task what = of(all, 2.2, {32, 32, 32}, 1e-5);
  // TIP3P at 300 K: about -9.9 kcal/mol a molecule (Jorgensen 1983) before tails beyond the cutoff.
  EXPECT_NEAR(potential_of(what, all.all) / 895 * 0.1521, -9.9, 1.0);
}

void keeps_energy(const population& all, task what, double bound) {
  const serial_run run = run_serially(what, all.all);
  const auto count = static_cast<double>(all.all.size());
  double least = run.by_step[0].kinetic;
  for (const energies& each : run.by_step) {
    EXPECT_NEAR(each.total() / count, run.by_step[0].total() / count, bound) << each.step;
    least = std::min(least, each.kinetic);
  }
  EXPECT_GT(std::abs(run.by_step.back().kinetic - run.by_step[0].kinetic) / count, 10 * bound);
  ASSERT_EQ(run.all.size(), all.all.size());
}

TEST(pme, steps_of_ions_keep_the_energy) {
  population all = salt({7, 7, 7}, 0.7, 2);
  heat(all.all, 2, 1, all.kinds);
  task what = of(all, 2.5, {28, 28, 28}, 1e-6);
  what.steps = 150;
  keeps_energy(all, what, 3e-3);
}

TEST(pme, steps_of_water_keep_the_energy) {
  population all = water_box();
  heat(all.all, 3.9, 1, all.kinds);
  task what = of(all, 2.2, {32, 32, 32}, 1e-5);
  what.time_step = 2e-4;
  what.steps = 30;
  keeps_energy(all, what, 0.05);
}

std::string refusal_of(const std::string& text) {
  const std::string path = testing::TempDir() + "pme_test.pdb";
  std::ofstream(path) << text;
  try {
    static_cast<void>(read_pdb(path, 1, water::sites));
  } catch (const upwash::error& failure) {
    return std::string(failure.what()).substr(path.size());
  }
  return "accepted";
}

TEST(pme, grids_and_water_that_make_no_sense_are_refused) {
  const population all = salt({8, 8, 8}, 1, 1);
  EXPECT_THROW(static_cast<void>(of(all, 3, {7, 32, 32}, 1e-5)), upwash::error);
  EXPECT_THROW(static_cast<void>(of(all, 3, {32, 32, 5000}, 1e-5)), upwash::error);
  const std::string box =
      "CRYST1   30.000   30.000   30.000  90.00  90.00  90.00 P 1           1\n";
  const std::string oxygen = "ATOM      1  O   HOH A   1       4.125  13.679  13.761\n";
  const std::string hydrogen = "ATOM      2  H1  HOH A   1       4.025  14.428  14.348\n";
  const std::string other = "ATOM      4  CA  GLY A   2       4.025  14.428  14.348\n";
  EXPECT_EQ(refusal_of(box + hydrogen),
            ":2: water is not O, H and H in this order; expected three "
            "atoms of each HOH");
  EXPECT_EQ(refusal_of(box + oxygen + hydrogen + other), ":4: water ends before its third atom");
  EXPECT_EQ(refusal_of(box + oxygen + hydrogen), ": ends before the third atom of its last water");
  EXPECT_EQ(refusal_of(box + oxygen + hydrogen + hydrogen + other), "accepted");
}

}  // namespace
}  // namespace md
