// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/md/kernel.hpp"

#include <cstddef>

namespace md {
namespace {

/// What a particle does to those from `first` on, and they to it.
double add_row(const lennard_jones& by, const vec& at, std::span<const vec> others,
               std::size_t first, vec& on_one, std::span<vec> on_others) {
  double potential = 0;
  vec sum;
  for (std::size_t j = first; j < others.size(); ++j) {
    const vec way = at - others[j];
    const double distance2 = dot(way, way);
    if (distance2 >= by.cutoff2) continue;
    double factor = 0;
    potential += pair_at(by, distance2, factor);
    const vec force = way * factor;
    sum += force;
    on_others[j] -= force;
  }
  on_one += sum;
  return potential;
}

}  // namespace

lennard_jones::lennard_jones(double cutoff) : cutoff2(cutoff * cutoff), lift(0) {
  const double inverse6 = 1 / (cutoff2 * cutoff2 * cutoff2);
  lift = -4 * inverse6 * (inverse6 - 1);
}

pair_work add_forces(const lennard_jones& by, std::span<const vec> a, std::span<const vec> b,
                     const vec& shift, std::span<vec> on_a, std::span<vec> on_b) {
  pair_work done{0, a.size() * b.size()};
  for (std::size_t i = 0; i < a.size(); ++i) {
    done.potential += add_row(by, a[i] - shift, b, 0, on_a[i], on_b);
  }
  return done;
}

pair_work add_forces(const lennard_jones& by, std::span<const vec> a, std::span<vec> on_a) {
  pair_work done;
  for (std::size_t i = 0; i < a.size(); ++i) {
    done.potential += add_row(by, a[i], a, i + 1, on_a[i], on_a);
    done.examined += a.size() - i - 1;
  }
  return done;
}

}  // namespace md
