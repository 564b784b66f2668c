// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which teams a rank is in, for layers whose messages name teams.
#pragma once

#include <cstdint>

namespace upwash {

class job;
class team;

/// Whether this rank is in the team of that id now. Nobody sends on a team before all members are
/// in it, but on those made at once (team_at_once.hpp), so what names one that does not exist came
/// after its release. O(log teams).
[[nodiscard]] bool team_exists(job& here, std::uint64_t id);

/// For `on_team_free`: whether no member uses the team any more, so that what they shared goes
/// without waiting for anybody. O(1).
[[nodiscard]] bool is_over(const team& going);

}  // namespace upwash
