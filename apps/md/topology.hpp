// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What particles are, beside where they are: charges, masses, molecules and the springs in them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "apps/md/vec.hpp"

namespace md {

/// In units of sigma, epsilon and the mass; charges so that two of 1 at distance 1 have energy 1.
struct kind {
  double charge = 0;
  double inverse_mass = 1;
  double size = 1;          ///< 1, or 0: no Lennard-Jones forces
  std::int32_t behind = 0;  ///< the number of the first particle of its molecule is so much less
};

/// By the number of a particle, the same at all ranks; empty: all are as kind{}. The particles of a
/// molecule follow each other.
class topology {
 public:
  [[nodiscard]] bool empty() const noexcept { return kinds_.empty(); }
  void add(const kind& of) { kinds_.push_back(of); }
  [[nodiscard]] kind of(std::int64_t particle) const {
    return kinds_.empty() ? kind{} : kinds_[static_cast<std::size_t>(particle)];
  }
  [[nodiscard]] std::int64_t first_of_molecule(std::int64_t particle) const {
    return particle - of(particle).behind;
  }

 private:
  std::vector<kind> kinds_;
};

/// A particle as forces see it.
struct site {
  vec at;
  double charge = 0;
  double size = 1;
  std::int64_t molecule = 0;
};

/// Water of three sites, flexible: two particles of a molecule, and the energy
/// stiffness * (distance - length)^2 between them.
struct spring {
  int first = 0;
  int second = 0;
  double length = 0;
  double stiffness = 0;
};

/// TIP3P (Jorgensen 1983) in units of its sigma, which is given in angstroms, its epsilon and the
/// mass of a molecule. The springs between O and H are those of CHARMM; one between both H stands
/// for the angle.
struct water_model {
  explicit water_model(double sigma);

  kind oxygen;
  kind hydrogen;  ///< `behind` is for the first of the two
  std::array<spring, 3> springs;
};

}  // namespace md
