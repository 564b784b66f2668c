// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The objects of a run: planes of states in Fourier space (g) and in real space (r), in the phases
// of Kumar 2005, figure 7.4. Nobody waits: what comes last begins the next phase.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "apps/planewave/kernel.hpp"
#include "upwash/objects/object_array.hpp"

namespace planewave {

class rank_part;

/// State, then plane.
using plane_index = std::array<std::int32_t, 2>;

class g_plane final : public upwash::object<plane_index> {
 public:
  using object::object;

  template <class A>
  void serialize(A& archive) {
    archive(of_, partner_, columns_, came_, of_pair_, step_);
  }

  void start();
  /// Phase VI: from that plane of real space.
  void take_forces(std::int32_t z, const waves& piece);
  /// Phase VII: the first state of a pair, at the second.
  void take_partner(const waves& first);
  /// Phase VIII: of all pairs.
  void take_overlaps(const std::vector<overlap>& of_all);
  /// Behind the last step.
  void report();

 private:
  void send_pieces();
  void meet_partner();
  void one_more_of_pair();

  waves of_;
  waves partner_;
  waves columns_;
  std::int32_t came_ = 0;
  std::int32_t of_pair_ = 0;  ///< own waves and the partner's that are there
  std::int64_t step_ = 0;
};

class r_plane final : public upwash::object<plane_index> {
 public:
  using object::object;
  using section = upwash::object_section<r_plane>;

  template <class A>
  void serialize(A& archive) {
    archive(real_, sums_, others_, came_, step_);
  }

  /// The planes with this z: those whose densities are summed, and those that get the potential.
  void join(const section& sums, const section& others);
  /// Phase I: from that plane of waves.
  void take_row(std::int32_t number, const waves& piece);
  /// Phases II to V, at the owner of the plane.
  void take_density(field density);
  void take_potential(const field& potential);

 private:
  [[nodiscard]] bool owns_density(const box& in) const;
  void give_density(rank_part& part);
  void send_pieces(rank_part& part);

  waves real_;
  section sums_;
  section others_;
  std::int32_t came_ = 0;
  std::int64_t step_ = 0;
};

/// The state whose plane sums the density of that z: another one for each z.
[[nodiscard]] inline int owner_of(const box& in, int z) { return z * in.states / in.planes; }

}  // namespace planewave
