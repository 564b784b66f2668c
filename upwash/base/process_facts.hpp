// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What /proc says about other processes.
#pragma once

#include <cstdint>
#include <string>

namespace upwash {

/// When a process started, in clock ticks since boot; 0 when it has ended.
[[nodiscard]] std::uint64_t process_started(int pid);

/// Whether the process that had this pid and start still runs.
[[nodiscard]] bool process_lives(int pid, std::uint64_t started);

/// What its threads have computed so far; 0 when there is no such process.
[[nodiscard]] double processor_seconds_of(int pid);

/// -1 when there is no such process.
[[nodiscard]] int parent_of(int pid);

/// The name of the program that a process runs, its first 15 characters; empty when there is none.
[[nodiscard]] std::string command_of(int pid);

/// 'R', 'S', 'D', 'T' and so on (proc(5)); 0 when there is no such process.
[[nodiscard]] char run_state_of(int pid);

/// Whether a process has a handler for `signal`.
[[nodiscard]] bool catches(int pid, int signal);

}  // namespace upwash
