// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For front ends behind C names, whose state is one a rank: which rank calls, and when it ends,
// where `upwash run --privatize` gives each rank of a process a copy of the program.
#pragma once

namespace upwash {

/// Whether this process hosts copies of the program, a rank each: `process::current_rank()` then
/// says whose code runs, on the thread that drives them.
[[nodiscard]] bool privatized() noexcept;

/// `leave` runs once when the calling rank ends, on its stack, behind what the program itself
/// registered for its end; the last one registered first. It may communicate. Where a process is
/// one rank, this is std::atexit.
void at_end_of_rank(void (*leave)());

}  // namespace upwash
