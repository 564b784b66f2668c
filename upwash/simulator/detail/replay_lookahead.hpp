// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How far the places of a replay may be walked without looking at each other: nothing is known from
// one to another sooner than the latency of what it sends. Where latencies grow with sizes, what
// ranks send is looked through first, one rank of each class: a few places that send short messages
// (the last ones of a mesh with holes) have windows of their own and do not keep all others' short.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "upwash/base/function_ref.hpp"
#include "upwash/simulator/replay.hpp"

namespace upwash::simulator::detail {

struct lookahead {
  std::int64_t window_ps = 0;        ///< of most places; 0: something may be known at once
  std::int64_t short_window_ps = 0;  ///< of the others
  std::vector<std::size_t> short_places{};
};

/// Of places of so many ranks. At most: classes and sizes are tried, and who sends sooner than that
/// is found out on the way (window_too_long). Time: that of making all schedules, and one of each
/// class. Memory: a word a place, while it runs.
[[nodiscard]] lookahead lookahead_of(int ranks, int ranks_a_place,
                                     function_ref<schedule::generator(int)> schedule_of,
                                     const machine& on, const schedule::transfer_rules& rules,
                                     const replay_options& options);

}  // namespace upwash::simulator::detail
