// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Algorithms that change while the program runs. All members of a team change at the same call.
#pragma once

#include <cstdint>

#include "upwash/core/job.hpp"
#include "upwash/core/team.hpp"

namespace upwash::collective {

/// The collectives with algorithms that may change while the program runs.
enum class adaptation : std::uint8_t {
  none,
  irregular,  ///< irregular collectives: message sizes differ between members and are not known
              ///< beforehand
  all,
};

/// Sets the adaptation of the job and returns the previous one. Forgets the algorithms chosen so
/// far. All ranks call it between the same two collective calls. Local.
///
/// A job that adapts tries several algorithms for each shape of blocking calls on a team. A shape
/// is a collective, its bytes, root, options and label. The candidates are those that the model
/// prices nearly as cheap as its first choice. After 8 calls of a shape about 30 calls try
/// candidates; afterwards at most 2 % of the calls do.
///
/// The messages of all_to_all_v and many_to_many differ between members. The members therefore
/// exchange degree and bytes, in at most 1 % of the time, and choose again when these numbers
/// change.
///
/// The call in which the members agree waits for all of them. A call with an algorithm that may
/// change is therefore blocking at all members or at none. Checked runs report a violation.
adaptation set_adapting(job& here, adaptation adapts);

/// Lets the members exchange the numbers of messages and bytes of all their all_to_all_v and
/// many_to_many calls, nonblocking ones included, and choose again if the pattern has changed. Call
/// it when the program's pattern changes. Does nothing in a job that does not adapt. Collective,
/// blocking. Cost: one small all-reduce and the pricing of the changed calls. Source: Kumar 2005,
/// 6.4.
void adapt(const team& among);

}  // namespace upwash::collective
