// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Operating-system daemons, which take a node's processors for some time in every period, on all
// nodes at once or on each at its own time (Kumar 2005, section 7.1.2; Petrini 2003).
#pragma once

#include <cstdint>
#include <string_view>

#include "upwash/base/duration.hpp"

namespace upwash::simulator {

struct noise {
  duration period;        ///< zero: no daemons
  duration length;        ///< per period, at a random offset
  bool together = false;  ///< on all nodes at the same time
  std::uint64_t seed = 1;

  /// Returns the time at which work of `cost` that begins at `start` is done on a node. O(1).
  [[nodiscard]] duration done(int node, duration start, duration cost) const noexcept;
};

/// Throws `error` (argument) if the daemons leave no time to work.
void check(const noise& what);

/// Reads "period,length" or "period,length,together", for example "10ms,250us"; empty: no daemons.
/// Throws `error` (argument), prefixed by `where`, for unreadable text, and as `check` does.
[[nodiscard]] noise parse_noise(std::string_view text, std::string_view where, std::uint64_t seed);

}  // namespace upwash::simulator
