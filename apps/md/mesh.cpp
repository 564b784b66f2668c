// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/md/mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "upwash/base/error.hpp"

namespace md {
namespace {

constexpr int least_points = 2 * spline_order;
constexpr int most_points = 4096;

int wrapped(int at, int count) noexcept {
  const int inside = at % count;
  return inside < 0 ? inside + count : inside;
}

/// The B-spline along one axis at the points that a particle touches, the last of them `at`.
struct weights {
  int at = 0;
  std::array<double, spline_order> value{};  ///< at `at - i`
  std::array<double, spline_order> slope{};
};

weights weights_at(double where, double box, int points) noexcept {
  const double scaled = where * points / box;
  const double below = std::floor(scaled);
  const double w = scaled - below;
  const double v = 1 - w;
  const double to_place = points / box;
  return {static_cast<int>(below),
          {w * w * w / 6, (((-3 * w + 3) * w + 3) * w + 1) / 6, ((3 * w - 6) * w * w + 4) / 6,
           v * v * v / 6},
          {w * w / 2 * to_place, ((-9 * w + 6) * w + 3) / 6 * to_place,
           (9 * w - 12) * w / 6 * to_place, -v * v / 2 * to_place}};
}

/// Where the points of a particle are among the values of a region.
class stencil {
 public:
  stencil(const mesh& on, const region& in, const vec& at)
      : along_{weights_at(at.x, on.box.x, on.points[0]), weights_at(at.y, on.box.y, on.points[1]),
               weights_at(at.z, on.box.z, on.points[2])} {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (int i = 0; i < spline_order; ++i) {
        places_[axis][static_cast<std::size_t>(i)] =
            static_cast<std::size_t>(wrapped(along_[axis].at - i - in.from[axis], on.points[axis]));
      }
    }
    y_values_ = static_cast<std::size_t>(in.count[2]);
    x_values_ = in.plane_points();
  }

  [[nodiscard]] const weights& along(std::size_t axis) const noexcept { return along_[axis]; }
  [[nodiscard]] std::size_t row(std::size_t i, std::size_t j) const noexcept {
    return places_[0][i] * x_values_ + places_[1][j] * y_values_;
  }
  [[nodiscard]] std::size_t in_row(std::size_t k) const noexcept { return places_[2][k]; }

 private:
  std::array<weights, 3> along_;
  std::array<std::array<std::size_t, spline_order>, 3> places_{};
  std::size_t x_values_ = 0;
  std::size_t y_values_ = 0;
};

double tolerated_beta(double cutoff, double tolerance) {
  double low = 0;
  double high = 10 / cutoff;
  for (int i = 0; i < 60; ++i) {
    const double beta = (low + high) / 2;
    (std::erfc(beta * cutoff) > tolerance ? low : high) = beta;
  }
  return high;
}

}  // namespace

mesh mesh::over(const triple& points, const space& of, double tolerance) {
  for (const int count : points) {
    if (count >= least_points && count <= most_points) continue;
    throw upwash::error(
        upwash::error_kind::configuration,
        fmt::format("a grid of {} x {} x {} points: expected {} to {} in each direction", points[0],
                    points[1], points[2], least_points, most_points));
  }
  return {points, of.box, tolerated_beta(of.cutoff, tolerance)};
}

int region::plane_at(int x, const mesh& of) const noexcept {
  const int plane = wrapped(x - from[0], of.points[0]);
  return plane < count[0] ? plane : -1;
}

region region_of(const mesh& on, const space& in, const cell_index& cell) {
  const vec corner = in.corner(cell);
  const vec side = in.side();
  const std::array corners{corner.x, corner.y, corner.z};
  const std::array sides{side.x, side.y, side.z};
  const std::array boxes{on.box.x, on.box.y, on.box.z};
  region made;
  for (std::size_t i = 0; i < 3; ++i) {
    const double scale = on.points[i] / boxes[i];
    const double low = (corners[i] - in.margin / 2) * scale;
    const double high = (corners[i] + sides[i] + in.margin / 2) * scale;
    const int first = static_cast<int>(std::floor(low)) - (spline_order - 1);
    made.from[i] = wrapped(first, on.points[i]);
    made.count[i] = std::min(static_cast<int>(std::floor(high)) - first + 1, on.points[i]);
  }
  return made;
}

void spread(const mesh& on, const region& to, std::span<const site> charges,
            std::span<double> values) {
  for (const site& each : charges) {
    if (each.charge == 0) continue;
    const stencil at(on, to, each.at);
    for (std::size_t i = 0; i < spline_order; ++i) {
      const double x = each.charge * at.along(0).value[i];
      for (std::size_t j = 0; j < spline_order; ++j) {
        const double xy = x * at.along(1).value[j];
        double* const row = values.data() + at.row(i, j);
        for (std::size_t k = 0; k < spline_order; ++k) {
          row[at.in_row(k)] += xy * at.along(2).value[k];
        }
      }
    }
  }
}

double gather(const mesh& on, const region& from, std::span<const double> potentials,
              std::span<const site> charges, std::span<vec> forces) {
  double energy = 0;
  for (std::size_t which = 0; which < charges.size(); ++which) {
    const double charge = charges[which].charge;
    if (charge == 0) continue;
    const stencil at(on, from, charges[which].at);
    double potential = 0;
    vec slope;
    for (std::size_t i = 0; i < spline_order; ++i) {
      for (std::size_t j = 0; j < spline_order; ++j) {
        const double* const row = potentials.data() + at.row(i, j);
        double along_z = 0;
        double slope_z = 0;
        for (std::size_t k = 0; k < spline_order; ++k) {
          along_z += row[at.in_row(k)] * at.along(2).value[k];
          slope_z += row[at.in_row(k)] * at.along(2).slope[k];
        }
        potential += along_z * at.along(0).value[i] * at.along(1).value[j];
        slope += {along_z * at.along(0).slope[i] * at.along(1).value[j],
                  along_z * at.along(0).value[i] * at.along(1).slope[j],
                  slope_z * at.along(0).value[i] * at.along(1).value[j]};
      }
    }
    energy += charge * potential / 2;
    forces[which] -= slope * charge;
  }
  return energy;
}

void add_plane(const mesh& on, const region& of, std::span<const double> values,
               std::span<double> plane) {
  const double* value = values.data();
  for (int j = 0; j < of.count[1]; ++j) {
    double* const row =
        plane.data() + static_cast<std::size_t>(wrapped(of.from[1] + j, on.points[1])) *
                           static_cast<std::size_t>(on.points[2]);
    for (int k = 0; k < of.count[2]; ++k) row[wrapped(of.from[2] + k, on.points[2])] += *value++;
  }
}

std::vector<double> cut_plane(const mesh& on, const region& of, std::span<const double> plane) {
  std::vector<double> values;
  values.reserve(of.plane_points());
  for (int j = 0; j < of.count[1]; ++j) {
    const double* const row =
        plane.data() + static_cast<std::size_t>(wrapped(of.from[1] + j, on.points[1])) *
                           static_cast<std::size_t>(on.points[2]);
    for (int k = 0; k < of.count[2]; ++k) {
      values.push_back(row[wrapped(of.from[2] + k, on.points[2])]);
    }
  }
  return values;
}

}  // namespace md
