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

/// The same of a message whose bytes are packed: they stay with the request, and those of a receive
/// are laid out when it is complete.
void hand_over(upwash_job& on, request started, laid_message&& of, upwash_request** told);
void hand_over(upwash_job& on, matching::receiving started, laid_message&& of,
               upwash_receipt* receipt, upwash_request** told);

/// Waits for it and gives it back, for the function of that name: its status.
int wait_and_give_back(upwash_request*& request, const char* function);

void write(upwash_receipt* into, const matching::receipt& what) noexcept;

}  // namespace upwash::c
