// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A run by objects on all ranks: what is chosen, and what comes out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/planewave/serial.hpp"
#include "upwash/base/duration.hpp"
#include "upwash/core/job.hpp"
#include "upwash/objects/section.hpp"

namespace planewave {

enum class mapping { states, planes };  ///< which planes are near each other

struct settings {
  box in;
  int steps = 3;
  mapping by = mapping::planes;
  std::string transpose = "direct";  ///< one of transposes()
  int bucket = 10;                   ///< pieces in a buffer of streaming
  std::string multicast = "tree";    ///< one of multicasts(), or each_to_many_multicast:ALGORITHM
  int wander = 0;          ///< objects go to a random rank once in so many steps; 0: never
  double mflops = 1000;    ///< of a simulated processor
  bool arithmetic = true;  ///< else messages are as long, work takes as long, and all values are 0
};

[[nodiscard]] const std::vector<std::string>& transposes();
[[nodiscard]] const std::vector<std::string>& multicasts();

/// What is said of rank 0 only is empty elsewhere.
struct outcome {
  result found;                         ///< at rank 0
  std::vector<upwash::duration> known;  ///< at rank 0: when the overlaps of a step were
  std::uint64_t messages = 0;           ///< of all ranks
  std::uint64_t migrations = 0;         ///< of objects
};

/// Collective, blocking.
[[nodiscard]] outcome run_by_objects(upwash::job& here, const settings& chosen);

}  // namespace planewave
