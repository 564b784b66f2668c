// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For front ends with a C interface, whose state exists once a rank. Finds the calling rank and the
// rank's end if `upwash run --privatize` gives each rank of a process a copy of the program.
#pragma once

namespace upwash {

/// Returns whether this process hosts copies of the program, one a rank. `process::current_rank()`
/// then returns the rank whose code runs on the driving thread.
[[nodiscard]] bool privatized() noexcept;

/// Registers `leave`, which runs once when the calling rank ends, on the rank's stack, after the
/// functions that the program itself registered for its end. The function registered last runs
/// first. It may communicate. If a process is one rank, this is std::atexit.
void at_end_of_rank(void (*leave)());

}  // namespace upwash
