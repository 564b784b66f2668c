// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/md/serial.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "apps/md/ewald.hpp"
#include "apps/md/planes.hpp"

namespace md {
namespace {

class serial_cells {
 public:
  serial_cells(const task& what, const std::vector<particle>& begin)
      : what_(what),
        by_(what.in.cutoff),
        indices_(upwash::all_indices<cell_index>(what.in.cell_extents())),
        pairs_(upwash::all_indices<compute_index>(what.in.compute_extents())) {
    std::vector<std::vector<particle>> in(indices_.size());
    for (const particle& each : begin) {
      const auto first = static_cast<std::size_t>(what.kinds.first_of_molecule(each.id));
      in[at(what_.in.cell_at(begin[first].at))].push_back(each);
    }
    cells_.resize(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) cells_[i].begin(std::move(in[i]), what.slots());
    if (what.charged()) transforms_.emplace(what.on);
  }

  energies compute() {
    for (const compute_index& pair : pairs_) {
      const pair_forces found = forces_of(pair);
      const int slot = slot_of(pair, what_.in.reach);
      cells_[at(first_of(pair))].add(slot, found.work.potential, found.on_first);
      if (is_self(pair)) continue;
      cells_[at(what_.in.second_of(pair))].add(opposite(slot, what_.in.reach), 0, found.on_second);
    }
    if (what_.charged()) add_mesh_forces();
    energies sum{cells_.front().step(), 0, 0, {}};
    for (content& each : cells_) sum = together{}(sum, each.end_step(what_));
    return sum;
  }

  void move(bool between_cells) {
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      cells_[i].move(what_, indices_[i]);
    }
    if (!between_cells) return;
    std::vector<std::vector<particle>> came(cells_.size());
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const leavers away = cells_[i].part(what_, indices_[i]);
      for (int slot = 0; slot < slots_of(1); ++slot) {
        auto& to = came[at(what_.in.neighbor_of(indices_[i], offset_of(slot, 1)))];
        const auto& of = away[static_cast<std::size_t>(slot)];
        to.insert(to.end(), of.begin(), of.end());
      }
    }
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      cells_[i].join(came[i]);
      cells_[i].settle();
    }
  }

  [[nodiscard]] std::vector<particle> all() const {
    std::vector<particle> found;
    for (const content& each : cells_) {
      found.insert(found.end(), each.particles().begin(), each.particles().end());
    }
    std::ranges::sort(found, {}, &particle::id);
    return found;
  }

 private:
  [[nodiscard]] pair_forces forces_of(const compute_index& pair) const {
    const content& first = cells_[at(first_of(pair))];
    const content& second = cells_[at(what_.in.second_of(pair))];
    if (what_.charged()) {
      return compute_pair(by_, what_, pair, sites_of(what_.kinds, first.particles()),
                          sites_of(what_.kinds, second.particles()));
    }
    return compute_pair(by_, what_.in, pair, first.positions(), second.positions());
  }

  void add_mesh_forces() {
    const mesh& on = what_.on;
    std::vector<double> grid(on.plane_points() * static_cast<std::size_t>(on.points[0]));
    for_each_plane([&](std::size_t cell, const region& of, int plane, std::span<double> values) {
      if (plane == 0) spread(on, of, sites_of(what_.kinds, cells_[cell].particles()), values);
      const auto part = static_cast<std::size_t>(plane) * of.plane_points();
      add_plane(on, of, values.subspan(part, of.plane_points()),
                plane_of(grid, of.from[0] + plane));
    });
    solve_whole(*transforms_, on, grid);
    for_each_plane([&](std::size_t cell, const region& of, int plane, std::span<double> values) {
      const auto cut = cut_plane(on, of, plane_of(grid, of.from[0] + plane));
      std::ranges::copy(cut, values.begin() + plane * std::ssize(cut));
      if (plane + 1 < of.count[0]) return;
      const std::vector<site> sites = sites_of(what_.kinds, cells_[cell].particles());
      std::vector<vec> forces(sites.size());
      double energy = gather(on, of, values, sites, forces);
      energy += add_own_forces(what_, sites, forces);
      cells_[cell].add(what_.slots() - 1, energy, forces);
    });
  }

  /// `each(cell, region, plane of the region, values of the region)`, by cells.
  template <class Each>
  void for_each_plane(const Each& each) {
    for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
      const region of = region_of(what_.on, what_.in, indices_[cell]);
      std::vector<double> values(of.size());
      for (int plane = 0; plane < of.count[0]; ++plane) each(cell, of, plane, std::span(values));
    }
  }

  [[nodiscard]] std::span<double> plane_of(std::vector<double>& grid, int x) const {
    const auto plane = static_cast<std::size_t>(x % what_.on.points[0]);
    return std::span(grid).subspan(plane * what_.on.plane_points(), what_.on.plane_points());
  }

  [[nodiscard]] std::size_t at(const cell_index& cell) const noexcept {
    return static_cast<std::size_t>(what_.in.number_of(cell));
  }

  const task& what_;
  lennard_jones by_;
  std::vector<cell_index> indices_;
  std::vector<compute_index> pairs_;
  std::vector<content> cells_;
  std::optional<planes> transforms_;
};

}  // namespace

serial_run run_serially(const task& what, const std::vector<particle>& begin) {
  serial_cells cells(what, begin);
  serial_run done;
  done.by_step.push_back(cells.compute());
  for (int step = 1; step <= what.steps; ++step) {
    cells.move(step % what.migrate == 0);
    done.by_step.push_back(cells.compute());
  }
  done.all = cells.all();
  return done;
}

}  // namespace md
