// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Schedules made of parts that emit on one tape: a part is written for positions 0, 1, ... of its
// own; here its steps get the team's ranks, edges beside those of other parts, and an entry.
#pragma once

#include "upwash/schedule/part.hpp"

namespace upwash::schedule {

/// As `place`, for a part that begins when all emitted before it is done.
inline void place_behind_all(step& s, placement as, mark& begun, const tape& on) noexcept {
  as.behind_all = true;
  place(s, as, begun, on);
}

}  // namespace upwash::schedule
