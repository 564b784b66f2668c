// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Schedules given step by step, for tests.
#pragma once

#include <vector>

#include "upwash/schedule/recording.hpp"

namespace upwash::schedule::testing {

using ranks_of_steps = std::vector<std::vector<step>>;

/// The schedule of a rank; `all` outlives it.
inline generator schedule_of(const ranks_of_steps& all, int rank) {
  return emit_recorded(all[static_cast<std::size_t>(rank)], {.window = 8, .scratch_bytes = 4096});
}

inline step to_peer(step_kind kind, int peer, std::uint32_t edge, std::uint64_t bytes = 0) {
  step s;
  s.kind = kind;
  s.peer = peer;
  s.edge = edge;
  (kind == step_kind::send ? s.left : s.into) = {buffer::output, 0, bytes};
  return s;
}

inline step local(step_kind kind, piece left, piece into) {
  step s;
  s.kind = kind;
  s.left = left;
  s.into = into;
  return s;
}

/// Waits for the step before it.
inline step then(step s) {
  s.after[0] = 1;
  return s;
}

}  // namespace upwash::schedule::testing
