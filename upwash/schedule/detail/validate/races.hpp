// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Finds steps that touch the same bytes in no order, a peer's memory touched before that peer has
// entered or after it may have left, and messages that may come after their collect is closed.
#pragma once

#include <string>

#include "upwash/schedule/detail/validate/causality.hpp"

namespace upwash::schedule::detail {

/// Looks at all pairs of accesses to the same buffer. Returns the first race, or an empty string.
[[nodiscard]] std::string find_races(const history& of, const causality& order);

/// Copies and reductions out of or into the memory of a peer that may be elsewhere.
[[nodiscard]] std::string find_absent_owners(const history& of, const causality& order);

/// Ranks that may leave before another has entered.
[[nodiscard]] std::string find_early_leavers(const history& of, const causality& order);

/// Messages that a `close` may not have waited for.
[[nodiscard]] std::string find_late_arrivals(const history& of, const causality& order);

}  // namespace upwash::schedule::detail
