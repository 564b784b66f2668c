// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Jobs that adapt (knob `adapt`; installation::adapts) change the algorithms of their collectives
// while they run. Each shape of blocking calls on a team (collective, bytes, root, options, label)
// tries what the model thinks near, in the calls that the program makes: after 8 calls about 30,
// then at most 2 % of them. Where messages differ from member to member (all_to_all_v,
// many_to_many) members tell each other of degree and bytes now and then, and choose again when
// these change. All members change at the same call; the call at which they agree waits for all.
#pragma once

#include "upwash/core/job.hpp"
#include "upwash/core/team.hpp"

namespace upwash::collective {

/// From now on the job adapts, or not; returns whether it did. Algorithms that were chosen are
/// forgotten. Called by all ranks between the same calls; local.
bool set_adapting(job& here, bool adapts);

/// Now members tell each other of the messages of all their all_to_all_v and many_to_many calls,
/// nonblocking ones too, and choose again where the pattern is another one. A good place is where
/// a program's pattern changes. Does nothing in a job that does not adapt. Collective, blocking;
/// one small all-reduce, and the prices of what changed.
/// Source: Kumar 2005, 6.4.
void adapt(const team& among);

}  // namespace upwash::collective
