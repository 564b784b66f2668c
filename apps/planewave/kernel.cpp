// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/planewave/kernel.hpp"

#include <cmath>
#include <cstddef>

#include "upwash/base/random.hpp"

namespace planewave {
namespace {

constexpr double step_length = 0.2;

std::size_t at(int index) noexcept { return static_cast<std::size_t>(index); }

double transform_work(int length) { return 5.0 * length * std::log2(length); }

}  // namespace

kernel::kernel(const box& of)
    : in_(of), planes_(waves_of(of)), along_planes_(of.planes), along_points_(of.points) {}

waves kernel::begin(int state, int number) const {
  upwash::random_stream draws(at(state) + 1, at(number));
  waves made(plane(number).waves());
  for (complex& each : made) {
    const double real = draws.fraction() - 0.5;
    each = complex(real, draws.fraction() - 0.5);
  }
  return made;
}

waves kernel::to_columns(int number, const waves& of) {
  const wave_plane& from = plane(number);
  waves columns(at(from.count() * in_.planes));
  complex* row = columns.data();
  for (const wave_column& each : from.columns) {
    for (int z = -each.reach; z <= each.reach; ++z) {
      row[z < 0 ? z + in_.planes : z] = of[each.first + at(z + each.reach)];
    }
    along_planes_.run(row, 1, 1);
    row += in_.planes;
  }
  return columns;
}

waves kernel::piece_for(int number, const waves& columns, int z) const {
  waves piece(plane(number).columns.size());
  for (std::size_t i = 0; i < piece.size(); ++i) piece[i] = columns[i * at(in_.planes) + at(z)];
  return piece;
}

void kernel::add_row(int number, const waves& piece, waves& real) {
  const wave_plane& of = plane(number);
  complex* const row = real.data() + of.x * in_.points;
  for (int i = 0; i < of.count(); ++i) row[of.columns[at(i)].y] = piece[at(i)];
  along_points_.run(row, 1, 1);
}

void kernel::end_real(waves& real) {
  for (int y = 0; y < in_.points; ++y) along_planes_.run(real.data() + y, in_.points, 1);
}

field kernel::density_of(const waves& real) const {
  field density(real.size());
  for (std::size_t i = 0; i < real.size(); ++i) density[i] = std::norm(real[i]) / in_.states;
  return density;
}

density_sums kernel::to_potential(field& density) const {
  const field of = density;
  density_sums sums;
  for (int x = 0; x < in_.planes; ++x) {
    const int before = (x + in_.planes - 1) % in_.planes;
    for (int y = 0; y < in_.points; ++y) {
      const double here = of[at(x * in_.points + y)];
      const double slope_x = here - of[at(before * in_.points + y)];
      const double slope_y = here - of[at(x * in_.points + (y + in_.points - 1) % in_.points)];
      const double corrected = here + 0.01 * std::hypot(slope_x, slope_y);
      double& potential = density[at(x * in_.points + y)];
      potential = -std::cbrt(corrected);
      sums.charge += here;
      sums.energy += here * potential;
    }
  }
  return sums;
}

void kernel::apply(const field& potential, waves& real) {
  for (std::size_t i = 0; i < real.size(); ++i) real[i] *= potential[i];
  for (int y = 0; y < in_.points; ++y) along_planes_.run(real.data() + y, in_.points, -1);
}

waves kernel::piece_back(int number, waves& real) {
  const wave_plane& of = plane(number);
  complex* const row = real.data() + of.x * in_.points;
  along_points_.run(row, 1, -1);
  waves piece(of.columns.size());
  for (std::size_t i = 0; i < piece.size(); ++i) piece[i] = row[of.columns[i].y];
  return piece;
}

void kernel::keep(const waves& piece, int z, waves& columns) const {
  for (std::size_t i = 0; i < piece.size(); ++i) columns[i * at(in_.planes) + at(z)] = piece[i];
}

void kernel::descend(int number, waves& columns, waves& of) {
  const wave_plane& to = plane(number);
  complex* row = columns.data();
  for (const wave_column& each : to.columns) {
    along_planes_.run(row, 1, -1);
    for (int z = -each.reach; z <= each.reach; ++z) {
      const std::size_t wave = each.first + at(z + each.reach);
      const complex force = row[z < 0 ? z + in_.planes : z] / in_.all_points();
      of[wave] -= step_length * (force + to.kinetic[wave] * of[wave]);
    }
    row += in_.planes;
  }
}

overlap kernel::overlap_of(const waves& first, const waves& second) {
  overlap sums;
  for (const complex& each : first) sums.first += std::norm(each);
  for (const complex& each : second) sums.second += std::norm(each);
  for (std::size_t i = 0; i < first.size() && i < second.size(); ++i) {
    sums.both += std::conj(first[i]) * second[i];
  }
  return sums;
}

void kernel::normalise_first(const overlap& sums, waves& first) {
  const double scale = 1 / std::sqrt(sums.first);
  for (complex& each : first) each *= scale;
}

void kernel::normalise_second(const overlap& sums, const waves& first, waves& second) {
  const complex common = sums.both / sums.first;
  const double scale = 1 / std::sqrt(sums.second - std::norm(sums.both) / sums.first);
  for (std::size_t i = 0; i < second.size(); ++i) {
    second[i] = (second[i] - common * first[i]) * scale;
  }
}

complex kernel::mark_of(int state, int number, const waves& of) const {
  upwash::random_stream draws(at(state) + 1, at(number) + at(wave_planes()));
  complex sum = 0;
  for (const complex& each : of) sum += draws.fraction() * each;
  return sum;
}

double kernel::columns_work(int number) const {
  return plane(number).count() * transform_work(in_.planes);
}

double kernel::row_work(int number) const {
  return transform_work(in_.points) + 2.0 * plane(number).count();
}

double kernel::real_work() const { return in_.points * transform_work(in_.planes); }

}  // namespace planewave
