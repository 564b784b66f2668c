// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The objects of a run, in the structure of LeanMD: cells hold particles, computes find the forces
// of a pair of cells. Nobody waits: a cell goes on when all its forces have come.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "apps/md/content.hpp"
#include "apps/md/space.hpp"
#include "upwash/objects/object_array.hpp"

namespace md {

class rank_part;

class compute final : public upwash::object<compute_index> {
 public:
  using object::object;

  template <class A>
  void serialize(A& archive) {
    archive(first_, second_, first_numbers_, second_numbers_, came_, step_);
  }

  /// The positions in a cell of the pair, or in both where they are one. With the last of a step
  /// it sends each cell its forces.
  void take(std::int32_t cell_number, const std::vector<vec>& positions);
  /// The same of charges, with the numbers of particles.
  void take_numbered(std::int32_t cell_number, const std::vector<vec>& positions,
                     const std::vector<std::int32_t>& numbers);
  /// All positions are there.
  void work();

 private:
  [[nodiscard]] bool has_both(std::int32_t cell_number, const std::vector<vec>& positions);
  void send_forces(rank_part& part, const pair_forces& found);

  std::vector<vec> first_;
  std::vector<vec> second_;
  std::vector<std::int32_t> first_numbers_;  ///< of charges
  std::vector<std::int32_t> second_numbers_;
  std::int32_t came_ = 0;
  std::int64_t step_ = 0;
};

class cell final : public upwash::object<cell_index> {
 public:
  using object::object;

  template <class A>
  void serialize(A& archive) {
    archive(in_, computes_, came_, groups_, potentials_, planes_);
  }

  /// Before the run, where it is: no method.
  void begin(std::vector<particle> of, upwash::object_section<compute> computes, int slots);
  [[nodiscard]] const content& inside() const noexcept { return in_; }

  void start() { send_positions(); }
  /// After a pause.
  void resume() { next_step(); }
  void take_forces(std::int32_t slot, double potential, const std::vector<vec>& forces) {
    take_item(slot, potential, forces);
  }
  /// The same as an item of a stream.
  void take_item(std::int32_t slot, double potential, std::span<const vec> forces);
  /// What the charges of all are like in a plane of this cell's region of the grid.
  void take_potentials(const std::vector<double>& potentials, std::int32_t x);
  /// Particles that come from one of the places around.
  void take_particles(const std::vector<particle>& came);
  /// Where the energies are waited for: those of all cells.
  void go_on(const energies& of_all);

 private:
  void send_positions();
  void send_charges();
  void end_step();
  void next_step();
  void let_leave();
  void one_more_group();

  content in_;
  upwash::object_section<compute> computes_;
  std::vector<particle> came_;
  std::vector<double> potentials_;  ///< in its region of the grid
  std::int32_t planes_ = 0;         ///< of these that came
  std::int32_t groups_ =
      0;  ///< of particles that came in this exchange, one from each place around
};

}  // namespace md
