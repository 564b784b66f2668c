// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Shared memory of System V that killed processes have left: network engines mark theirs for
// removal, but a moment after they have made it.
#pragma once

#include <sys/types.h>

#include <span>

namespace upwash::launch::detail {

/// Removes what processes with these pids, which have ended, have made, where nobody has it or can
/// find it: segments without a key that are attached nowhere. O(segments of the machine).
void remove_segments_of(std::span<const pid_t> makers) noexcept;

}  // namespace upwash::launch::detail
