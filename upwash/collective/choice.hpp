// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What would be chosen for a call, for layers that may do without it.
#pragma once

#include <string>

#include "upwash/collective/call.hpp"

namespace upwash::collective {

/// NAME[:key=value,...]: the algorithm by which members that made this call now would run it.
/// Local; the same at all members. Cost: that of a choice (selector.hpp), once a shape of call.
[[nodiscard]] std::string algorithm_of(const team& among, const call& wanted);

}  // namespace upwash::collective
