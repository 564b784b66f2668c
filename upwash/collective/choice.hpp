// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The algorithm and the expected time of a call, for layers that may avoid the call.
#pragma once

#include <optional>
#include <string>

#include "upwash/base/duration.hpp"
#include "upwash/collective/call.hpp"

namespace upwash::collective {

/// Returns NAME[:key=value,...], the algorithm with which the members would run this call now.
/// Local; the same at all members. Cost: one choice for each shape of call (selector.hpp).
[[nodiscard]] std::string algorithm_of(const team& among, const call& wanted);

/// Times according to the prices of the machine that choices use.
struct expected_time {
  duration completion;
  duration busy;  ///< busy time of the busiest rank's processor, which no computation hides
};

/// Returns the expected time of the call with its current algorithm; none if nothing prices it.
/// Local. Cost: as algorithm_of.
[[nodiscard]] std::optional<expected_time> expected_time_of(const team& among, const call& wanted);

}  // namespace upwash::collective
