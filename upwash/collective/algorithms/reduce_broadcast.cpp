// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/reduce_broadcast.hpp"

#include "upwash/schedule/sequence.hpp"

namespace upwash::collective {

reduce_broadcast::reduce_broadcast(int ranks, int rank, std::uint64_t bytes,
                                   std::uint32_t element_bytes, const parameters& chosen,
                                   bool in_place)
    : up_(ranks, rank, 0, bytes, element_bytes,
          {.shape = chosen.up, .segment_bytes = chosen.segment_bytes},
          in_place ? tree_reduce::result::in_place : tree_reduce::result::at_root),
      down_(ranks, rank, 0, bytes, {chosen.down, up_.segment_bytes()}, true) {
  if (in_place) down_.place_nothing();
}

bool reduce_broadcast::next(schedule::step& out, schedule::tape& on) {
  while (!down_.ended()) {
    if (!in_down_) {
      if (up_.next_of_segment(out, on)) return true;
      down_.enter(up_.have());
      in_down_ = true;
    }
    if (down_.next_of_segment(out, on)) {
      schedule::place(out, {.first_edge = up_.edge_count()}, on);
      return true;
    }
    in_down_ = false;
  }
  return false;
}

/// Between segments of the way up lie those of the way down.
std::uint32_t reduce_broadcast::window() const noexcept {
  const auto down_steps = 1 + static_cast<std::uint32_t>(down_.children());
  return up_.window() + down_.window() + up_.segments_back() * down_steps;
}

}  // namespace upwash::collective
