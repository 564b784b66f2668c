// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Operations that block, or go on behind a handle.
#pragma once

#include "interop/c/detail/handles.hpp"

namespace upwash::c {

/// What was started: waits for it where `told` is null, else makes a handle, from the job's spare
/// ones, of what is not complete yet.
void hand_over(upwash_job& on, request started, upwash_request** told);
void hand_over(upwash_job& on, matching::receiving started, upwash_receipt* receipt,
               upwash_request** told);

void write(upwash_receipt* into, const matching::receipt& what) noexcept;

}  // namespace upwash::c
