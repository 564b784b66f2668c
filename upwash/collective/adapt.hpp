// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Algorithms that change while the program runs: the same at all members, at the same call.
#pragma once

#include <cstdint>

#include "upwash/core/job.hpp"
#include "upwash/core/team.hpp"

namespace upwash::collective {

/// Whose algorithms change while the program runs.
enum class adaptation : std::uint8_t {
  none,
  irregular,  ///< where messages differ from member to member, and nobody knows them beforehand
  all,
};

/// Each shape of blocking calls on a team (collective, bytes, root, options, label) tries what the
/// model thinks near, in the calls that the program makes: after 8 calls about 30, then at most 2 %
/// of them. Where messages differ from member to member (all_to_all_v, many_to_many) members tell
/// each other of degree and bytes, for at most 1 % of the time, and choose again when these change.
/// The call at which members agree waits for all: where algorithms may change a call is blocking at
/// all members or at none; checked runs say where it is not.
///
/// What the job adapts from now on; returns what it did. Algorithms that were chosen are
/// forgotten. Called by all ranks between the same calls; local.
adaptation set_adapting(job& here, adaptation adapts);

/// Now members tell each other of the messages of all their all_to_all_v and many_to_many calls,
/// nonblocking ones too, and choose again where the pattern is another one. A good place is where
/// a program's pattern changes. Does nothing in a job that does not adapt. Collective, blocking;
/// one small all-reduce, and the prices of what changed.
/// Source: Kumar 2005, 6.4.
void adapt(const team& among);

}  // namespace upwash::collective
