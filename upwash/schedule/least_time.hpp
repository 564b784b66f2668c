// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A lower bound of a schedule's time, without waiting. A search for the cheapest schedule need not
// price those with a higher bound.
#pragma once

#include <cstdint>

#include "upwash/base/duration.hpp"
#include "upwash/base/function_ref.hpp"
#include "upwash/model/machine.hpp"
#include "upwash/schedule/generator.hpp"
#include "upwash/schedule/lower.hpp"
#include "upwash/schedule/price.hpp"

namespace upwash::schedule {

/// Returns a lower bound of the time that `price` gives if it walks all ranks. The bound counts the
/// processor work of `root` and of the ranks of a node in the middle, and the messages of these
/// ranks at their node's port. It omits waiting, steps after a stage, and copies by get or put.
/// Examines at most `most_steps` steps, about 30 ns each. Options as for `price`; stops as soon as
/// the bound exceeds `most_time`.
[[nodiscard]] duration least_time(int ranks, int root,
                                  function_ref<generator(int rank)> schedule_of, const machine& on,
                                  const transfer_rules& rules, const price_options& options,
                                  std::uint64_t most_steps);

}  // namespace upwash::schedule
