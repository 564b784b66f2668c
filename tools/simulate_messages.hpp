// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// `upwash simulate --schedule --network message`: collectives of large teams, whole messages.
#pragma once

#include "tools/simulate_schedule.hpp"

namespace upwash::tools {

/// Prints completion by algorithm and size, and what simulating it took. Throws `error`.
int simulate_messages(const schedule_run& what);

}  // namespace upwash::tools
