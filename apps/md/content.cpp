// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/md/content.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "apps/md/ewald.hpp"
#include "upwash/base/error.hpp"

namespace md {
namespace {

/// How many cells further a place is: -1, 0 or 1.
int steps_out(double at, double corner, double side) noexcept {
  if (at < corner) return -1;
  return at >= corner + side ? 1 : 0;
}

double wrapped(double at, int cell, int steps, int cells, double box) noexcept {
  if (cell + steps < 0) return at + box;
  return cell + steps >= cells ? at - box : at;
}

double beyond(double at, double corner, double side) noexcept {
  return std::max(corner - at, at - corner - side);
}

}  // namespace

void content::begin(std::vector<particle> of, int slots) {
  particles_ = std::move(of);
  forces_.assign(static_cast<std::size_t>(slots), {});
  potentials_.assign(static_cast<std::size_t>(slots), 0);
  missing_ = slots;
  step_ = 0;
}

std::vector<vec> content::positions() const {
  std::vector<vec> all(particles_.size());
  std::ranges::transform(particles_, all.begin(), &particle::at);
  return all;
}

std::vector<std::int32_t> content::numbers() const {
  std::vector<std::int32_t> all;
  for (const particle& each : particles_) all.push_back(static_cast<std::int32_t>(each.id));
  return all;
}

bool content::add(int slot, double potential, std::span<const vec> forces) {
  const auto at = static_cast<std::size_t>(slot);
  forces_[at].assign(forces.begin(), forces.end());
  potentials_[at] = potential;
  return --missing_ == 0;
}

energies content::end_step(const task& what) {
  sums_.assign(particles_.size(), {});
  for (const std::vector<vec>& each : forces_) {
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += each[i];
  }
  missing_ = static_cast<std::int32_t>(forces_.size());
  if (step_ > 0) kick(what.kinds, what.time_step / 2);
  energies now{step_, std::accumulate(potentials_.begin(), potentials_.end(), 0.0), 0, {}};
  for (const particle& each : particles_) {
    const double mass = 1 / what.kinds.of(each.id).inverse_mass;
    now.kinetic += dot(each.speed, each.speed) / 2 * mass;
    now.momentum += each.speed * mass;
  }
  return now;
}

void content::kick(const topology& kinds, double time) {
  for (std::size_t i = 0; i < particles_.size(); ++i) {
    particles_[i].speed += sums_[i] * (time * kinds.of(particles_[i].id).inverse_mass);
  }
}

void content::move(const task& what, const cell_index& cell) {
  kick(what.kinds, what.time_step / 2);
  const space& of = what.in;
  const vec corner = of.corner(cell);
  const vec side = of.side();
  for (particle& each : particles_) {
    each.at += each.speed * what.time_step;
    const double out =
        std::max({beyond(each.at.x, corner.x, side.x), beyond(each.at.y, corner.y, side.y),
                  beyond(each.at.z, corner.z, side.z)});
    if (out < of.margin / 2) continue;
    throw upwash::error(
        upwash::error_kind::argument,
        fmt::format("particle {} is {:.3g} outside its cell at step {}, where forces hold up to "
                    "{:.3g}: let particles change cells more often (--migrate), or give a shorter "
                    "--time-step or more --margin",
                    each.id, out, step_ + 1, of.margin / 2));
  }
  ++step_;
}

leavers content::part(const task& what, const cell_index& cell) {
  const space& of = what.in;
  const vec corner = of.corner(cell);
  const vec side = of.side();
  leavers away(static_cast<std::size_t>(slots_of(1)));
  std::vector<particle> stay;
  int x = 0, y = 0, z = 0;
  for (particle& each : particles_) {
    if (what.kinds.of(each.id).behind == 0) {
      x = steps_out(each.at.x, corner.x, side.x);
      y = steps_out(each.at.y, corner.y, side.y);
      z = steps_out(each.at.z, corner.z, side.z);
    }
    if (x == 0 && y == 0 && z == 0) {
      stay.push_back(each);
      continue;
    }
    each.at.x = wrapped(each.at.x, cell[0], x, of.cells[0], of.box.x);
    each.at.y = wrapped(each.at.y, cell[1], y, of.cells[1], of.box.y);
    each.at.z = wrapped(each.at.z, cell[2], z, of.cells[2], of.box.z);
    away[static_cast<std::size_t>((x + 1) * 9 + (y + 1) * 3 + z + 1)].push_back(each);
  }
  particles_ = std::move(stay);
  return away;
}

void content::join(const std::vector<particle>& came) {
  particles_.insert(particles_.end(), came.begin(), came.end());
}

void content::settle() { std::ranges::sort(particles_, {}, &particle::id); }

pair_forces compute_pair(const lennard_jones& by, const space& of, const compute_index& pair,
                         std::span<const vec> first, std::span<const vec> second) {
  pair_forces found;
  found.on_first.resize(first.size());
  if (is_self(pair)) {
    found.work = add_forces(by, first, found.on_first);
    return found;
  }
  found.on_second.resize(second.size());
  found.work = add_forces(by, first, second, of.shift(pair), found.on_first, found.on_second);
  return found;
}

pair_forces compute_pair(const lennard_jones& by, const task& what, const compute_index& pair,
                         std::span<const site> first, std::span<const site> second) {
  pair_forces found;
  found.on_first.resize(first.size());
  const double beta = what.on.beta;
  if (is_self(pair)) {
    found.work = add_forces(by, beta, first, found.on_first);
    return found;
  }
  found.on_second.resize(second.size());
  found.work =
      add_forces(by, beta, first, second, what.in.shift(pair), found.on_first, found.on_second);
  return found;
}

}  // namespace md
