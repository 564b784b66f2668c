// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What would be chosen for a call, for layers that may do without it.
#pragma once

#include <optional>
#include <string>

#include "upwash/base/duration.hpp"
#include "upwash/collective/call.hpp"

namespace upwash::collective {

/// NAME[:key=value,...]: the algorithm by which members that made this call now would run it.
/// Local; the same at all members. Cost: that of a choice (selector.hpp), once a shape of call.
[[nodiscard]] std::string algorithm_of(const team& among, const call& wanted);

/// By the prices of the machine that choices are for.
struct expected_time {
  duration completion;
  duration busy;  ///< of it, the processor of the busiest rank works: no computation hides that
};

/// What the call should take with the algorithm that it has here; none where nothing prices it.
/// Local; as algorithm_of.
[[nodiscard]] std::optional<expected_time> expected_time_of(const team& among, const call& wanted);

}  // namespace upwash::collective
