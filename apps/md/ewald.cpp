// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/md/ewald.hpp"

#include <cmath>
#include <numbers>

namespace md {
namespace {

site site_of(const topology& kinds, const vec& at, std::int64_t number) {
  const kind is = kinds.of(number);
  return {at, is.charge, is.size, number - is.behind};
}

/// What of 1 / r stays with pairs; `factor` times the way between is the force.
double short_range(double beta, double distance2, double& factor) noexcept {
  const double distance = std::sqrt(distance2);
  const double scaled = beta * distance;
  const double energy = std::erfc(scaled) / distance;
  const double slope = 2 * beta * std::numbers::inv_sqrtpi * std::exp(-scaled * scaled);
  factor = (energy + slope) / distance2;
  return energy;
}

double pair_at(const lennard_jones& by, double beta, const site& a, const site& b, double distance2,
               double& factor) noexcept {
  factor = 0;
  double energy = 0;
  if (a.size * b.size > 0) energy = pair_at(by, distance2, factor);
  const double charges = a.charge * b.charge;
  if (charges == 0) return energy;
  double of_charges = 0;
  energy += charges * short_range(beta, distance2, of_charges);
  factor += charges * of_charges;
  return energy;
}

double add_row(const lennard_jones& by, double beta, const site& one, const vec& at,
               std::span<const site> others, std::size_t first, vec& on_one,
               std::span<vec> on_others) {
  double potential = 0;
  vec sum;
  for (std::size_t j = first; j < others.size(); ++j) {
    const vec way = at - others[j].at;
    const double distance2 = dot(way, way);
    if (distance2 >= by.cutoff2) continue;
    double factor = 0;
    potential += pair_at(by, beta, one, others[j], distance2, factor);
    const vec force = way * factor;
    sum += force;
    on_others[j] -= force;
  }
  on_one += sum;
  return potential;
}

double add_exclusion(double beta, const site& a, const site& b, vec& on_a, vec& on_b) {
  const vec way = a.at - b.at;
  const double distance2 = dot(way, way);
  const double distance = std::sqrt(distance2);
  double factor = 0;
  static_cast<void>(short_range(beta, distance2, factor));
  const double charges = a.charge * b.charge;
  const vec force = way * (charges * (factor - 1 / (distance2 * distance)));
  on_a += force;
  on_b -= force;
  return -charges * std::erf(beta * distance) / distance;
}

double add_spring(const spring& of, const site& a, const site& b, vec& on_a, vec& on_b) {
  const vec way = a.at - b.at;
  const double distance = std::sqrt(dot(way, way));
  const double longer = distance - of.length;
  const vec force = way * (-2 * of.stiffness * longer / distance);
  on_a += force;
  on_b -= force;
  return of.stiffness * longer * longer;
}

}  // namespace

std::vector<site> sites_of(const topology& kinds, std::span<const vec> at,
                           std::span<const std::int32_t> numbers) {
  std::vector<site> all;
  for (std::size_t i = 0; i < at.size(); ++i) all.push_back(site_of(kinds, at[i], numbers[i]));
  return all;
}

std::vector<site> sites_of(const topology& kinds, std::span<const particle> all) {
  std::vector<site> made;
  for (const particle& each : all) made.push_back(site_of(kinds, each.at, each.id));
  return made;
}

pair_work add_forces(const lennard_jones& by, double beta, std::span<const site> a,
                     std::span<const site> b, const vec& shift, std::span<vec> on_a,
                     std::span<vec> on_b) {
  pair_work done{0, a.size() * b.size()};
  for (std::size_t i = 0; i < a.size(); ++i) {
    done.potential += add_row(by, beta, a[i], a[i].at - shift, b, 0, on_a[i], on_b);
  }
  return done;
}

pair_work add_forces(const lennard_jones& by, double beta, std::span<const site> a,
                     std::span<vec> on_a) {
  pair_work done;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t next = i + 1;
    while (next < a.size() && a[next].molecule == a[i].molecule) ++next;
    done.potential += add_row(by, beta, a[i], a[i].at, a, next, on_a[i], on_a);
    done.examined += a.size() - i - 1;
  }
  return done;
}

double add_own_forces(const task& what, std::span<const site> all, std::span<vec> forces) {
  const double beta = what.on.beta;
  double energy = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    energy -= beta * std::numbers::inv_sqrtpi * all[i].charge * all[i].charge;
    for (std::size_t j = i + 1; j < all.size() && all[j].molecule == all[i].molecule; ++j) {
      energy += add_exclusion(beta, all[i], all[j], forces[i], forces[j]);
    }
    const bool first = i == 0 || all[i - 1].molecule != all[i].molecule;
    const bool several = i + 1 < all.size() && all[i + 1].molecule == all[i].molecule;
    if (!first || !several) continue;
    for (const spring& each : what.springs) {
      const std::size_t a = i + static_cast<std::size_t>(each.first);
      const std::size_t b = i + static_cast<std::size_t>(each.second);
      energy += add_spring(each, all[a], all[b], forces[a], forces[b]);
    }
  }
  return energy;
}

}  // namespace md
