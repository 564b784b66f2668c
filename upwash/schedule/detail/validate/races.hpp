// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Finds unordered steps on the same bytes, accesses to a peer's memory before its entry or after
// its possible exit, and messages that may arrive after their collect is closed.
#pragma once

#include <string>

#include "upwash/schedule/detail/validate/causality.hpp"

namespace upwash::schedule::detail {

/// Checks all pairs of accesses to the same buffer. Returns the first race, or an empty string.
[[nodiscard]] std::string find_races(const history& of, const causality& order);

/// Finds copies and reductions from or to the memory of a peer that may be absent.
[[nodiscard]] std::string find_absent_owners(const history& of, const causality& order);

/// Finds ranks that may leave before another has entered.
[[nodiscard]] std::string find_early_leavers(const history& of, const causality& order);

/// Finds messages that a `close` may not have waited for.
[[nodiscard]] std::string find_late_arrivals(const history& of, const causality& order);

}  // namespace upwash::schedule::detail
