// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/planewave/space.hpp"

#include <cmath>

namespace planewave {
namespace {

/// How far from the middle of its axis, as a share of the ellipsoid's half axis.
double share(int number, int reach) { return static_cast<double>(number) / reach; }

int wrapped(int number, int length) { return number < 0 ? number + length : number; }

void add_column(wave_plane& to, int y, int reach_z, double across2, int points) {
  wave_column made;
  made.y = wrapped(y, points);
  made.reach = static_cast<int>(std::floor(reach_z * std::sqrt(1 - across2)));
  made.first = to.waves();
  for (int z = -made.reach; z <= made.reach; ++z) {
    to.kinetic.push_back((across2 + share(z, reach_z) * share(z, reach_z)) / 2);
  }
  to.columns.push_back(made);
}

}  // namespace

std::vector<wave_plane> waves_of(const box& of) {
  const int reach = of.planes / 4;
  const int reach_y = of.points / 4;
  std::vector<wave_plane> all;
  for (int x = -reach; x <= reach; ++x) {
    wave_plane made;
    made.x = wrapped(x, of.planes);
    for (int y = -reach_y; y <= reach_y; ++y) {
      const double across2 =
          share(x, reach) * share(x, reach) + share(y, reach_y) * share(y, reach_y);
      if (across2 <= 1) add_column(made, y, reach, across2, of.points);
    }
    all.push_back(std::move(made));
  }
  return all;
}

}  // namespace planewave
