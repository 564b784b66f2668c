// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Operating-system daemons: they take a node's processors for some time in every period, all nodes
// at once or each at its own time (Kumar 2005, section 7.1.2; Petrini 2003).
#pragma once

#include <cstdint>
#include <string_view>

#include "upwash/base/duration.hpp"

namespace upwash::simulator {

struct noise {
  duration period;        ///< zero: there are none
  duration length;        ///< in every period, from a random time of it on
  bool together = false;  ///< on all nodes at the same time
  std::uint64_t seed = 1;

  /// When work of `cost` that begins at `start` is done on a node. O(1).
  [[nodiscard]] duration done(int node, duration start, duration cost) const noexcept;
};

/// Throws `error` (argument) for daemons that leave no time to work.
void check(const noise& what);

/// Reads "period,length" or "period,length,together", as "10ms,250us"; empty: none. Throws `error`
/// (argument), with `where` in front, for what cannot be read, and as `check` does.
[[nodiscard]] noise parse_noise(std::string_view text, std::string_view where, std::uint64_t seed);

}  // namespace upwash::simulator
