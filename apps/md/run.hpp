// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A run by objects on all ranks: what is chosen, and what comes out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/md/content.hpp"
#include "apps/md/particles.hpp"
#include "apps/md/serial.hpp"
#include "upwash/base/duration.hpp"
#include "upwash/core/job.hpp"
#include "upwash/streaming/options.hpp"

namespace md {

/// A rank that something else keeps busy once every so many steps.
struct lateness {
  int rank = -1;
  int every = 1;
  upwash::duration time;
};

struct settings {
  task what;
  std::string exchange = "direct";  ///< how forces travel: one of exchanges()
  std::size_t buffer_bytes = upwash::stream_options::automatic;
  bool wait_for_energies = false;  ///< no step begins before all know the energies of the last
  bool by_hash = false;            ///< homes of objects, else blocks of neighbouring cells
  int balance = 0;                 ///< computes are balanced once in so many steps; 0: never
  int wander = 0;                  ///< objects go to a random rank once in so many steps; 0: never
  upwash::duration pair_time;      ///< of a simulated processor, to look at a pair of particles
  lateness late;
  std::string transpose = "direct";  ///< of the mesh: one of transposes()
  upwash::duration point_time;  ///< of a simulated processor, a particle at a point of the grid
  double mflops = 1000;         ///< of a simulated processor that transforms
};

[[nodiscard]] const std::vector<std::string>& exchanges();
[[nodiscard]] const std::vector<std::string>& transposes();

/// What is said of rank 0 only is empty elsewhere.
struct outcome {
  std::vector<energies> by_step;        ///< at rank 0, from step 0 on
  std::vector<upwash::duration> known;  ///< at rank 0: when they were known there
  std::uint64_t mark = 0;               ///< of all particles at the end, the same at all ranks
  std::uint64_t messages = 0;           ///< of all ranks
  std::uint64_t migrations = 0;         ///< of objects
  int balanced = 0;                     ///< so many times, with so many computes moved
  std::uint64_t moved_to_balance = 0;
  upwash::duration longest_before;  ///< of the ranks between two balancings: before the first
  upwash::duration longest_after;   ///< as predicted by the last
};

/// Collective, blocking. `begin` is the same at all ranks.
[[nodiscard]] outcome run_by_objects(upwash::job& here, const settings& chosen,
                                     const std::vector<particle>& begin);

}  // namespace md
