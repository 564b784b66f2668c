// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which teams a rank is in, for layers whose messages name teams.
#pragma once

#include <cstdint>

namespace upwash {

class job;

/// Whether this rank is in the team of that id now. Nobody sends on a team before all members are
/// in it, so what names one that does not exist came after its release. O(log teams).
[[nodiscard]] bool team_exists(job& here, std::uint64_t id);

}  // namespace upwash
