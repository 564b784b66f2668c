// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a schedule takes at least, without waiting for anybody: so that who looks for the cheapest
// need not price the others.
#pragma once

#include <cstdint>

#include "upwash/base/duration.hpp"
#include "upwash/base/function_ref.hpp"
#include "upwash/model/machine.hpp"
#include "upwash/schedule/generator.hpp"
#include "upwash/schedule/lower.hpp"
#include "upwash/schedule/price.hpp"

namespace upwash::schedule {

/// A lower bound of what `price` says where all ranks are walked: what the processors of `root` and
/// of the ranks of a node in the middle work, and what these send through their node's port. Of at
/// most `most_steps` steps, which is some 30 ns each; what it costs no time to know is left out.
/// Options as for `price`; what is seen to exceed `most_time` is not looked at further.
[[nodiscard]] duration least_time(int ranks, int root,
                                  function_ref<generator(int rank)> schedule_of, const machine& on,
                                  const transfer_rules& rules, const price_options& options,
                                  std::uint64_t most_steps);

}  // namespace upwash::schedule
