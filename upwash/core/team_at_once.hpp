// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Teams that each member makes and releases by itself. For layers whose members agree in another
// way and make many teams that are never used.
#pragma once

#include <cstdint>
#include <span>

#include "upwash/base/call_site.hpp"
#include "upwash/core/team.hpp"

namespace upwash {

/// Makes a team as `of.subset(members)` does, but without a message. The identity is derived from
/// the list and `name`. `name` is the same at all members, and no other call uses it for that list.
/// Local.
///
/// Members may use the team before this rank makes it. Tagged messages then wait if
/// `matching::keep_early` was called; messages of collective calls wait in any case. Services learn
/// of the team only by `announce`: until then collectives share no memory.
[[nodiscard]] team make_at_once(const team& of, std::span<const int> members, std::uint64_t name);

/// Tells the services of the team, which then make its members' shared data. Called once.
/// Collective, blocking.
void announce(const team& made, call_site site = call_site::current());

/// Releases the team as `going.release()` does, without waiting for other members. All members must
/// be done with the team, or no collective call was ever made on it. Local.
void release_at_once(team& going);

}  // namespace upwash
