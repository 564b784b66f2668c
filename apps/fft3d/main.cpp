// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// fft3d: the NAS FT benchmark on all ranks.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "apps/common/program.hpp"
#include "apps/fft3d/nas.hpp"
#include "apps/fft3d/transform.hpp"
#include "upwash/upwash.hpp"

namespace {

using fft3d::complex;
using fft3d::index;

struct options {
  char name = 'S';
  fft3d::exchange_options exchange;
  std::vector<int> grid;
};

/// The exit status when the program should end here, else -1.
int read_options(const upwash::job& here, int argc, char** argv, options& chosen) {
  using fft3d::pieces;
  const std::map<std::string, pieces> names{
      {"packed", pieces::packed}, {"slabs", pieces::slabs}, {"pencils", pieces::pencils}};
  std::string name = "S";
  std::string decomposition = "packed";
  bool blocking = false;
  CLI::App app("NAS FT: diffuses a random field by 3-D Fourier transforms", "fft3d");
  app.add_option("--class", name, "Of the benchmark")
      ->check(CLI::IsMember({"S", "W"}))
      ->capture_default_str();
  app.add_option("--decomposition", decomposition,
                 "What one all-to-all carries: all rows (packed), a plane (slabs), a row (pencils)")
      ->check(CLI::IsMember({"packed", "slabs", "pencils"}))
      ->capture_default_str();
  auto* waits = app.add_flag("--blocking", blocking, "Wait for each all-to-all (default)");
  app.add_flag("--overlap", chosen.exchange.overlap, "Compute while all-to-alls travel")
      ->excludes(waits);
  app.add_option("--in-flight", chosen.exchange.in_flight, "With --overlap: all-to-alls at once")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  app.add_option("--grid", chosen.grid, "Ranks along y and along z; none: the squarest that fits")
      ->expected(2)
      ->check(CLI::Range(1, 1 << 15));
  app.add_option("--mflops", chosen.exchange.mflops, "Speed of a simulated processor")
      ->check(apps::number_in(1e-3, 1e9))
      ->capture_default_str();
  const int early = apps::read_command_line(here, app, argc, argv);
  chosen.name = name[0];
  chosen.exchange.of = names.at(decomposition);
  return early;
}

/// The benchmark as one rank runs it.
class benchmark {
 public:
  benchmark(upwash::job& here, const fft3d::nas_class& problem, const fft3d::rank_grid& grid,
            const fft3d::exchange_options& how)
      : here_(here),
        problem_(problem),
        grid_(grid),
        y_(here.rank() % grid.y),
        z_(here.rank() / grid.y),
        same_z_(here.world().split(z_, y_)),
        same_y_(here.world().split(y_, z_)),
        forward_(same_z_, same_y_, forward_axes(), -1, how),
        backward_(same_y_, same_z_, backward_axes(), 1, how) {}

  /// Collective, blocking. The checksums after each step, at all ranks.
  std::vector<complex> run() {
    const auto& n = problem_.points;
    const auto plane = index(n.y / grid_.y) * index(n.x);
    std::vector<complex> waves(plane * index(n.z / grid_.z));
    for (int z = 0; z < n.z / grid_.z; ++z) {
      fft3d::fill_initial(n, z_ * (n.z / grid_.z) + z, y_ * (n.y / grid_.y), n.y / grid_.y,
                          std::span(waves).subspan(index(z) * plane, plane));
    }
    forward_.run(waves);
    std::vector<complex> checksums;
    std::vector<complex> field(waves.size());
    for (int step = 0; step < fft3d::steps; ++step) {
      damp(waves);
      field = waves;
      backward_.run(field);
      checksums.push_back(checksum(field));
    }
    return checksums;
  }

  [[nodiscard]] const fft3d::transform& forward() const { return forward_; }
  [[nodiscard]] upwash::duration exchanging() const {
    return forward_.so_far().exchanging + backward_.so_far().exchanging;
  }

 private:
  [[nodiscard]] fft3d::axes forward_axes() const {
    const auto& n = problem_.points;
    return {n.x, n.y, n.z, grid_.y, grid_.z};
  }
  [[nodiscard]] fft3d::axes backward_axes() const {
    const auto& n = problem_.points;
    return {n.z, n.y, n.x, grid_.z, grid_.y};
  }

  /// One step of diffusion, on [x][y][z].
  void damp(std::vector<complex>& waves) const {
    const auto& n = problem_.points;
    const auto along_x = fft3d::damping(n.x);
    const auto along_y = fft3d::damping(n.y);
    const auto along_z = fft3d::damping(n.z);
    auto at = waves.begin();
    for (int x = 0; x < n.x / grid_.y; ++x) {
      for (int y = 0; y < n.y / grid_.z; ++y) {
        const double factor =
            along_x[index(y_ * (n.x / grid_.y) + x)] * along_y[index(z_ * (n.y / grid_.z) + y)];
        for (const double each : along_z) *at++ *= factor * each;
      }
    }
  }

  /// Over the points of all ranks, on [z][y][x].
  complex checksum(const std::vector<complex>& field) const {
    const auto& n = problem_.points;
    const int rows = n.y / grid_.y;
    const int planes = n.z / grid_.z;
    complex sum = 0;
    for (int j = 1; j <= fft3d::checksum_terms; ++j) {
      const auto at = fft3d::checksum_point(n, j);
      const int y = at.y - y_ * rows;
      const int z = at.z - z_ * planes;
      if (y < 0 || y >= rows || z < 0 || z >= planes) continue;
      sum += field[(index(z) * index(rows) + index(y)) * index(n.x) + index(at.x)];
    }
    const std::array mine{sum.real(), sum.imag()};
    std::array<double, 2> all{};
    upwash::all_reduce<upwash::sum>(here_.world(), upwash::blocking, mine, std::span<double>(all));
    return complex(all[0], all[1]) / (static_cast<double>(n.x) * n.y * n.z);
  }

  upwash::job& here_;
  const fft3d::nas_class& problem_;
  fft3d::rank_grid grid_;
  int y_;  ///< my part
  int z_;
  upwash::team same_z_;
  upwash::team same_y_;
  fft3d::transform forward_;
  fft3d::transform backward_;
};

double greatest_error(const fft3d::nas_class& problem, const std::vector<complex>& checksums) {
  double greatest = 0;
  for (std::size_t i = 0; i < checksums.size(); ++i) {
    const double error = fft3d::relative_error(checksums[i], problem.checksums[i]);
    if (std::isnan(error)) return error;
    greatest = std::max(greatest, error);
  }
  return greatest;
}

void print_exchange(const options& chosen, const fft3d::rank_grid& grid,
                    const fft3d::transform& forward) {
  constexpr std::array names{"packed", "slabs", "pencils"};
  fmt::print("exchange: {}, {}\n", names[static_cast<std::size_t>(chosen.exchange.of)],
             chosen.exchange.overlap
                 ? fmt::format("overlapped, {} in flight", chosen.exchange.in_flight)
                 : "blocking");
  for (const int i : {0, 1}) {
    const auto count = forward.so_far().all_to_alls[index(i)];
    fmt::print("round {}: {} all-to-all{} of {} ranks, {} bytes a pair\n", i + 1, count,
               count == 1 ? "" : "s", i == 0 ? grid.y : grid.z, forward.pair_bytes(i));
  }
}

int run_rank(upwash::job& here, int argc, char** argv) {
  options chosen;
  const int early = read_options(here, argc, argv, chosen);
  if (early >= 0) return early;
  const auto problem = fft3d::nas_class_named(chosen.name);
  fft3d::rank_grid grid;
  const auto prepare = [&] {
    if (chosen.exchange.overlap && chosen.exchange.of == fft3d::pieces::packed) {
      throw upwash::error(upwash::error_kind::argument,
                          "--overlap needs --decomposition slabs or pencils: packed, all is "
                          "computed before any is sent");
    }
    std::optional<fft3d::rank_grid> asked;
    if (!chosen.grid.empty()) asked = fft3d::rank_grid{chosen.grid[0], chosen.grid[1]};
    grid = fft3d::grid_for(problem.points, here.size(), asked);
  };
  if (!apps::all_prepared(here, "fft3d", prepare)) return apps::bad_input;

  benchmark on_this_rank(here, problem, grid, chosen.exchange);
  upwash::barrier(here.world(), upwash::blocking);
  const auto began = here.now();
  const auto checksums = on_this_rank.run();
  const auto time = apps::slowest(here, here.now() - began);
  const auto exchanging = apps::slowest(here, on_this_rank.exchanging());
  const double error = greatest_error(problem, checksums);
  const bool right = error <= fft3d::accepted_error;
  if (here.rank() != 0) return right ? 0 : 1;

  fmt::print("problem: class {}, {} x {} x {} points, {} steps on {} x {} ranks\n", problem.name,
             problem.points.x, problem.points.y, problem.points.z, fft3d::steps, grid.y, grid.z);
  print_exchange(chosen, grid, on_this_rank.forward());
  fmt::print("time: {:.3f} ms ({:.3f} in all-to-alls; slowest rank)\n", time.us() / 1e3,
             exchanging.us() / 1e3);
  fmt::print("rate: {:.1f} MFLOP/s\n", fft3d::operations(problem.points) / time.us());
  fmt::print("verified: {} (greatest error of a checksum {:.1e})\n", right ? "yes" : "no", error);
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return upwash::run(argc, argv, [&](upwash::job& here) { return run_rank(here, argc, argv); });
}
