// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Particles as a run begins with them: on a lattice that fills the box, or those of a PDB file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/md/topology.hpp"
#include "apps/md/vec.hpp"

namespace md {

struct particle {
  vec at;
  vec speed;
  std::int64_t id = 0;
};

struct population {
  vec box;
  std::vector<particle> all;  ///< inside the box; of molecules the first particles
  topology kinds = {};        ///< where there are charges
  std::vector<spring> springs = {};
};

/// A face-centred cubic lattice of about that density, stretched to fill the box.
[[nodiscard]] population lattice(const vec& box, double density);

/// Rock salt of about that density: a simple lattice of charges that alternate.
[[nodiscard]] population salt(const vec& box, double density, double charge);

/// Whether water of a file is one particle a molecule, without charge, or three sites.
enum class water : std::uint8_t { particles, sites };

/// One particle for each residue of a PDB file, at its CA, or where it has none at its first atom;
/// as sites, residues HOH are O, H and H in this order. The file's angstroms are divided by sigma,
/// and places outside the box are wrapped. Throws `error` (configuration) that names file and line.
[[nodiscard]] population read_pdb(const std::string& path, double sigma,
                                  water as = water::particles);

/// Random speeds of that temperature (epsilon / k); together they stand still.
void heat(std::vector<particle>& all, double temperature, std::uint64_t seed,
          const topology& kinds = {});

/// A number of every bit of what particles there are; parts add up to that of all.
[[nodiscard]] std::uint64_t mark_of(const std::vector<particle>& all) noexcept;

}  // namespace md
