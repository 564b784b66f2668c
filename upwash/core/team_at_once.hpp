// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Teams that each member makes and releases by itself, for layers whose members agree in another
// way: many teams are made and never used.
#pragma once

#include <cstdint>
#include <span>

#include "upwash/base/call_site.hpp"
#include "upwash/core/team.hpp"

namespace upwash {

/// As `of.subset(members)`, but without a message: the identity is made of the list and of `name`,
/// the same at all members and no other call's for that list. Members may use the team before this
/// rank makes it: tagged messages wait where `matching::keep_early` was called, collective calls
/// anywhere. Services hear of it by `announce` only: until then collectives share no memory. Local.
[[nodiscard]] team make_at_once(const team& of, std::span<const int> members, std::uint64_t name);

/// Services hear of the team: what its members share is made now. Once; collective, blocking.
void announce(const team& made, call_site site = call_site::current());

/// As `going.release()`, where all members are done with the team, or no collective call was ever
/// made on it: nobody is waited for. Local.
void release_at_once(team& going);

}  // namespace upwash
