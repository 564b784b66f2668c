// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What one cell holds, and what a step makes of it: velocity Verlet, and who leaves. No ranks: the
// serial run and the objects are made of these.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "apps/md/kernel.hpp"
#include "apps/md/particles.hpp"
#include "apps/md/space.hpp"
#include "apps/md/task.hpp"

namespace md {

/// Of one cell, or of all, at a step.
struct energies {
  std::int64_t step = 0;
  double potential = 0;
  double kinetic = 0;
  vec momentum;

  [[nodiscard]] double total() const noexcept { return potential + kinetic; }
};
/// Both at the same step.
struct together {
  static constexpr bool commutes = true;
  energies operator()(const energies& a, const energies& b) const noexcept {
    return {a.step, a.potential + b.potential, a.kinetic + b.kinetic, a.momentum + b.momentum};
  }
};

/// Towards each of the 27 places around a cell: its own is in the middle, and empty.
using leavers = std::vector<std::vector<particle>>;

class content {
 public:
  template <class A>
  void serialize(A& archive) {
    archive(particles_, forces_, potentials_, sums_, missing_, step_);
  }

  void begin(std::vector<particle> of, int slots);
  [[nodiscard]] std::vector<vec> positions() const;
  [[nodiscard]] std::vector<std::int32_t> numbers() const;
  [[nodiscard]] const std::vector<particle>& particles() const noexcept { return particles_; }
  [[nodiscard]] std::int64_t step() const noexcept { return step_; }

  /// What the compute of that slot found, or the mesh, which is last. True for the last one of the
  /// step.
  bool add(int slot, double potential, std::span<const vec> forces);
  /// The forces are all there: ends the step. Sums in the order of slots, so that the order in
  /// which they came does not show.
  [[nodiscard]] energies end_step(const task& what);
  /// The next step's positions. Throws `error` (argument) where a particle is so far outside the
  /// cell that computes may have missed it.
  void move(const task& what, const cell_index& cell);
  /// Those that are in other cells now go, wrapped at the ends of the box; molecules whole, with
  /// their first particle.
  [[nodiscard]] leavers part(const task& what, const cell_index& cell);
  void join(const std::vector<particle>& came);
  /// In the order of their numbers, as ever.
  void settle();

 private:
  void kick(const topology& kinds, double time);

  std::vector<particle> particles_;
  std::vector<std::vector<vec>> forces_;  ///< by slot
  std::vector<double> potentials_;        ///< by slot
  std::vector<vec> sums_;
  std::int32_t missing_ = 0;  ///< slots of this step
  std::int64_t step_ = 0;
};

/// What a compute found: for the first cell of the pair, and for the second where it is another.
struct pair_forces {
  pair_work work;
  std::vector<vec> on_first;
  std::vector<vec> on_second;
};
[[nodiscard]] pair_forces compute_pair(const lennard_jones& by, const space& of,
                                       const compute_index& pair, std::span<const vec> first,
                                       std::span<const vec> second);
/// The same of charges.
[[nodiscard]] pair_forces compute_pair(const lennard_jones& by, const task& what,
                                       const compute_index& pair, std::span<const site> first,
                                       std::span<const site> second);

}  // namespace md
