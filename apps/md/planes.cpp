// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/md/planes.hpp"

#include <fftw3.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace md {
namespace {

fftw_complex* raw(complex* at) { return reinterpret_cast<fftw_complex*>(at); }
std::size_t many(int count) { return static_cast<std::size_t>(count); }

double operations(double points) { return 5 * points * std::log2(points); }

}  // namespace

/// Planes begin at multiples of 16 bytes, as those of the plans do: all that FFTW asks.
struct planes::plans {
  explicit plans(const mesh& on) {
    const int waves = on.waves();
    std::vector<double> plane(on.plane_points());
    std::vector<complex> of_x(many(on.points[1]) * many(waves));
    std::vector<complex> of_y(many(on.points[0]) * many(waves));
    forward = fftw_plan_dft_r2c_2d(on.points[1], on.points[2], plane.data(), raw(of_x.data()),
                                   FFTW_ESTIMATE);
    backward = fftw_plan_dft_c2r_2d(on.points[1], on.points[2], raw(of_x.data()), plane.data(),
                                    FFTW_ESTIMATE);
    const auto along_x = [&](int sign) {
      return fftw_plan_many_dft(1, on.points.data(), waves, raw(of_y.data()), nullptr, waves, 1,
                                raw(of_y.data()), nullptr, waves, 1, sign, FFTW_ESTIMATE);
    };
    x_forward = along_x(FFTW_FORWARD);
    x_backward = along_x(FFTW_BACKWARD);
  }
  ~plans() {
    for (fftw_plan each : {forward, backward, x_forward, x_backward}) fftw_destroy_plan(each);
  }
  plans(plans&&) = delete;

  fftw_plan forward;
  fftw_plan backward;
  fftw_plan x_forward;
  fftw_plan x_backward;
};

planes::planes(const mesh& on) : on_(on), plans_(std::make_unique<plans>(on)) {
  constexpr double pi = std::numbers::pi;
  const std::array sides{on.box.x, on.box.y, on.box.z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int points = on.points[axis];
    for (int m = 0; m < points; ++m) {
      const double wave = (2 * m > points ? m - points : m) / sides[axis];
      const double spline = (2 + std::cos(2 * pi * m / points)) / 3;
      waves2_[axis].push_back(wave * wave);
      strength_[axis].push_back(std::exp(-pi * pi * wave * wave / (on.beta * on.beta)) /
                                (spline * spline));
    }
  }
  const double scale = 1 / (pi * on.box.x * on.box.y * on.box.z);
  for (double& each : strength_[0]) each *= scale;
}

planes::~planes() = default;

std::size_t planes::waves_of_x_plane() const noexcept {
  return many(on_.points[1]) * many(on_.waves());
}
std::size_t planes::waves_of_y_plane() const noexcept {
  return many(on_.points[0]) * many(on_.waves());
}
double planes::operations_of_x_plane() const noexcept {
  return operations(static_cast<double>(on_.plane_points())) / 2;
}
double planes::operations_of_y_plane() const noexcept {
  return 2 * on_.waves() * operations(on_.points[0]);
}

void planes::forward(std::span<double> charges, std::span<complex> waves) const {
  fftw_execute_dft_r2c(plans_->forward, charges.data(), raw(waves.data()));
}

void planes::backward(std::span<complex> waves, std::span<double> potentials) const {
  fftw_execute_dft_c2r(plans_->backward, raw(waves.data()), potentials.data());
}

void planes::solve(int y, std::span<complex> waves) const {
  fftw_execute_dft(plans_->x_forward, raw(waves.data()), raw(waves.data()));
  complex* at = waves.data();
  for (std::size_t x = 0; x < many(on_.points[0]); ++x) {
    const double xy = strength_[0][x] * strength_[1][many(y)];
    const double xy2 = waves2_[0][x] + waves2_[1][many(y)];
    for (std::size_t z = 0; z < many(on_.waves()); ++z) {
      const double wave2 = xy2 + waves2_[2][z];
      *at++ *= wave2 > 0 ? xy * strength_[2][z] / wave2 : 0;
    }
  }
  fftw_execute_dft(plans_->x_backward, raw(waves.data()), raw(waves.data()));
}

void solve_whole(const planes& by, const mesh& on, std::span<double> grid) {
  const std::size_t row = many(on.waves());
  std::vector<complex> waves(by.waves_of_x_plane() * many(on.points[0]));
  const auto of_x = [&](int x) {
    return std::span(waves).subspan(many(x) * by.waves_of_x_plane(), by.waves_of_x_plane());
  };
  const auto plane = [&](int x) {
    return grid.subspan(many(x) * on.plane_points(), on.plane_points());
  };
  for (int x = 0; x < on.points[0]; ++x) by.forward(plane(x), of_x(x));
  std::vector<complex> of_y(by.waves_of_y_plane());
  for (int y = 0; y < on.points[1]; ++y) {
    for (int x = 0; x < on.points[0]; ++x) {
      std::ranges::copy(of_x(x).subspan(many(y) * row, row),
                        of_y.begin() + std::ssize(of_y) / on.points[0] * x);
    }
    by.solve(y, of_y);
    for (int x = 0; x < on.points[0]; ++x) {
      std::ranges::copy(std::span(of_y).subspan(many(x) * row, row),
                        of_x(x).begin() + y * std::ssize(of_y) / on.points[0]);
    }
  }
  for (int x = 0; x < on.points[0]; ++x) by.backward(of_x(x), plane(x));
}

}  // namespace md
