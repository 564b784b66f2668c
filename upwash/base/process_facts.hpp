// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Facts from /proc about other processes.
#pragma once

#include <cstdint>
#include <string>

namespace upwash {

/// Returns when a process started, in clock ticks since boot; 0 if it has ended.
[[nodiscard]] std::uint64_t process_started(int pid);

/// Returns whether the process that had this pid and start still runs.
[[nodiscard]] bool process_lives(int pid, std::uint64_t started);

/// Returns the processor seconds that its threads have used so far; 0 without such a process.
[[nodiscard]] double processor_seconds_of(int pid);

/// Returns the pid of the parent; -1 without such a process.
[[nodiscard]] int parent_of(int pid);

/// Returns the name of the program that a process runs, its first 15 characters; empty without such
/// a process.
[[nodiscard]] std::string command_of(int pid);

/// Returns 'R', 'S', 'D', 'T' and so on (proc(5)); 0 without such a process.
[[nodiscard]] char run_state_of(int pid);

/// Returns whether a process has a handler for `signal`.
[[nodiscard]] bool catches(int pid, int signal);

}  // namespace upwash
