// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Forces of charges that need no mesh: of pairs within the cutoff, beside Lennard-Jones, and of a
// cell's molecules on themselves. No ranks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "apps/md/kernel.hpp"
#include "apps/md/particles.hpp"
#include "apps/md/task.hpp"

namespace md {

/// Particles by their numbers, as forces see them.
[[nodiscard]] std::vector<site> sites_of(const topology& kinds, std::span<const vec> at,
                                         std::span<const std::int32_t> numbers);
[[nodiscard]] std::vector<site> sites_of(const topology& kinds, std::span<const particle> all);

/// As add_forces of the Lennard-Jones kernel, with erfc(beta r) / r of charges; particles of one
/// molecule have none.
[[nodiscard]] pair_work add_forces(const lennard_jones& by, double beta, std::span<const site> a,
                                   std::span<const site> b, const vec& shift, std::span<vec> on_a,
                                   std::span<vec> on_b);
[[nodiscard]] pair_work add_forces(const lennard_jones& by, double beta, std::span<const site> a,
                                   std::span<vec> on_a);

/// What the mesh has too much: each charge on itself and on its molecule; and the springs. Adds the
/// forces, returns the energy. The molecules of `all` are whole and in order.
[[nodiscard]] double add_own_forces(const task& what, std::span<const site> all,
                                    std::span<vec> forces);

}  // namespace md
