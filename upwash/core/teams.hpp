// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Queries of a rank's teams, for layers whose messages name teams.
#pragma once

#include <cstdint>

namespace upwash {

class job;
class team;

/// Returns whether this rank is in the team with this id now. O(log teams). No member sends on a
/// team before all members are in it, except on teams made at once (team_at_once.hpp). Otherwise a
/// message that names an unknown team arrived after the release of the team.
[[nodiscard]] bool team_exists(job& here, std::uint64_t id);

/// Returns whether no member uses the team any longer, so that shared data may be freed without
/// waiting. For `on_team_free`. O(1).
[[nodiscard]] bool is_over(const team& going);

}  // namespace upwash
