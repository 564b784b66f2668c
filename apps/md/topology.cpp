// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/md/topology.hpp"

#include <cmath>

namespace md {
namespace {

constexpr double epsilon = 0.1521;     // kcal/mol
constexpr double coulomb = 332.06371;  // kcal/mol angstrom, of two elementary charges
constexpr double mass_of_hydrogen = 1.008;
constexpr double mass_of_water = 18.0154;

}  // namespace

water_model::water_model(double sigma)
    : springs{{{0, 1, 0.9572 / sigma, 450 * sigma * sigma / epsilon},
               {0, 2, 0.9572 / sigma, 450 * sigma * sigma / epsilon},
               {1, 2, 1.5139 / sigma, 55 * sigma * sigma / epsilon}}} {
  const double elementary = std::sqrt(coulomb / (sigma * epsilon));
  oxygen = {-0.834 * elementary, mass_of_water / (mass_of_water - 2 * mass_of_hydrogen), 1, 0};
  hydrogen = {0.417 * elementary, mass_of_water / mass_of_hydrogen, 0, 1};
}

}  // namespace md
