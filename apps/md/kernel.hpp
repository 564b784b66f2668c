// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Lennard-Jones forces between the particles of two cells, or of one, in units of sigma, epsilon
// and the mass. No ranks: serial runs and objects call the same code, so they agree in every bit.
#pragma once

#include <cstdint>
#include <span>

#include "apps/md/vec.hpp"

namespace md {

/// 4 (r^-12 - r^-6), nothing from the cutoff on, and lifted so that it is 0 there.
struct lennard_jones {
  explicit lennard_jones(double cutoff);

  double cutoff2;
  double lift;
};

/// The potential of a pair at that squared distance; `factor` times the way between is the force.
[[nodiscard]] inline double pair_at(const lennard_jones& by, double distance2,
                                    double& factor) noexcept {
  const double inverse2 = 1 / distance2;
  const double inverse6 = inverse2 * inverse2 * inverse2;
  factor = 24 * inverse6 * (2 * inverse6 - 1) * inverse2;
  return 4 * inverse6 * (inverse6 - 1) + by.lift;
}

struct pair_work {
  double potential = 0;
  std::uint64_t examined = 0;  ///< pairs whose distance was looked at
};

/// Adds what the particles at a and at b do to each other; those at b stand shifted by so much.
[[nodiscard]] pair_work add_forces(const lennard_jones& by, std::span<const vec> a,
                                   std::span<const vec> b, const vec& shift, std::span<vec> on_a,
                                   std::span<vec> on_b);
/// Adds what particles of one cell do to each other.
[[nodiscard]] pair_work add_forces(const lennard_jones& by, std::span<const vec> a,
                                   std::span<vec> on_a);

}  // namespace md
