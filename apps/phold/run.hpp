// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// PHOLD by objects: each logical process is one, and events are calls. Conservative: all events of
// a window as long as the lookahead happen before any of the next (YAWNS, Nicol 1993).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/phold/process.hpp"
#include "upwash/base/duration.hpp"
#include "upwash/core/job.hpp"
#include "upwash/streaming/options.hpp"

namespace phold {

/// How events travel: direct calls, or aggregated over so many dimensions.
[[nodiscard]] const std::vector<std::string>& ways();

struct settings {
  model of;
  std::string way = "aggregated";
  std::size_t buffer_bytes = upwash::stream_options::automatic;
  int wander = 0;               ///< processes go to a random rank once in so many windows; 0: never
  upwash::duration event_time;  ///< of a simulated processor
};

struct timed_outcome {
  outcome is;
  std::uint64_t messages = 0;  ///< of all ranks
  upwash::duration time;       ///< of the slowest
};

/// Collective, blocking; the result is the same at all ranks.
[[nodiscard]] timed_outcome run_by_objects(upwash::job& here, const settings& chosen);

}  // namespace phold
