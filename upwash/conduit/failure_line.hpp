// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The one line that says why a job ended.
#pragma once

#include <string>
#include <string_view>

#include "upwash/base/duration.hpp"

namespace upwash::conduit {

/// What a failure's one line says after "upwash: ": "rank R: why; job ended", without the rank
/// where `why` begins with it; `why` alone for a failure of no rank in particular (-1).
[[nodiscard]] std::string failure_line(int rank, std::string_view why);

/// What is said of a host that is gone, and why; where its connection has ended; and where it has
/// been silent for as long as the knob host_timeout says.
[[nodiscard]] std::string lost_host_line(std::string_view who, std::string_view why);
[[nodiscard]] std::string ended_host_line(std::string_view who);
[[nodiscard]] std::string silent_host_line(std::string_view who, duration limit);
/// Whether a line is one of these.
[[nodiscard]] bool tells_of_lost_host(std::string_view line) noexcept;
/// Whether it is of a connection that has ended, as it also does where the job's launcher ends the
/// processes of that host, because it has lost another one.
[[nodiscard]] bool tells_of_ended_host(std::string_view line) noexcept;

/// What is said of a process that is gone, by another one.
[[nodiscard]] std::string died_line(std::string_view who);
/// Whether a line says that a process or a host is gone: behind the first such line others may
/// follow, of those that the job's launcher ends.
[[nodiscard]] bool tells_of_death(std::string_view line) noexcept;

/// What is said of a process that somebody has stopped, or that goes on: no failure.
/// `where`: behind the pid, as " on host b".
[[nodiscard]] std::string stopped_line(std::string_view who, int pid, std::string_view where = {});
[[nodiscard]] std::string goes_on_line(std::string_view who);
/// Whether a line that begins with "upwash: " is one of them.
[[nodiscard]] bool tells_of_stopped(std::string_view line) noexcept;

}  // namespace upwash::conduit
