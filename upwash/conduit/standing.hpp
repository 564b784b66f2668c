// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The status of a rank, derived from the reason of its wait. For worlds that see their ranks
// deadlock.
#pragma once

#include "upwash/base/duration.hpp"
#include "upwash/conduit/message.hpp"
#include "upwash/conduit/waiting.hpp"
#include "upwash/observe/standing.hpp"

namespace upwash::conduit {

[[nodiscard]] inline observe::standing standing_of(int rank, const wait_reason& why) {
  observe::standing is;
  is.rank = rank;
  is.now = observe::doing::waits;
  is.operation = why.operation;
  is.peer = why.peer;
  is.tag = why.tag;
  is.bytes = why.bytes;
  is.team = why.team;
  is.number = why.number;
  is.counted = why.counted;
  is.set_place(why.site);
  is.on_team = why.on_team || why.counted != observe::series::none || why.team != 0 || why.tag >= 0;
  return is;
}

/// Returns the status of a rank that idles for `why`. If there is a sink `at`, its job knows more.
[[nodiscard]] inline observe::standing standing_of(int rank, const wait_reason& why, const sink* at,
                                                   duration waited) {
  observe::standing is = at != nullptr ? at->standing() : observe::standing();
  if (is.now != observe::doing::waits) is = standing_of(rank, why);
  is.waited_ps = waited.ps();
  return is;
}

}  // namespace upwash::conduit
