// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Shared memory of System V that killed processes have left. Network engines mark their segments
// for removal, but only a moment after they have made them.
#pragma once

#include <sys/types.h>

#include <span>

namespace upwash::launch::detail {

/// Removes the segments that processes with these pids, which have ended, have made. Only segments
/// without a key that are attached nowhere, which no process uses or can find. O(segments of the
/// machine).
void remove_segments_of(std::span<const pid_t> makers) noexcept;

}  // namespace upwash::launch::detail
