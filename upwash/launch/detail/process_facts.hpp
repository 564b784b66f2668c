// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What /proc says about other processes.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace upwash::launch::detail {

/// When a process started, in clock ticks since boot; 0 when it has ended.
[[nodiscard]] std::uint64_t process_started(pid_t pid);

/// Whether the process that had this pid and start still runs.
[[nodiscard]] bool process_lives(pid_t pid, std::uint64_t started);

/// -1 when there is no such process.
[[nodiscard]] pid_t parent_of(pid_t pid);

/// The name of the program that a process runs, its first 15 characters; empty when there is none.
[[nodiscard]] std::string command_of(pid_t pid);

/// 'R', 'S', 'D', 'T' and so on (proc(5)); 0 when there is no such process.
[[nodiscard]] char run_state_of(pid_t pid);

/// Whether a process has a handler for `signal`.
[[nodiscard]] bool catches(pid_t pid, int signal);

}  // namespace upwash::launch::detail
