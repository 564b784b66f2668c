// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The one line that says why a job ended.
#pragma once

#include <string>
#include <string_view>

#include "upwash/base/duration.hpp"

namespace upwash::conduit {

/// Returns the text of a failure's line after "upwash: ": "rank R: why; job ended", without the
/// rank if `why` begins with it. `why` alone for a failure of no particular rank (-1).
[[nodiscard]] std::string failure_line(int rank, std::string_view why);

/// Return the lines for a host that is gone, with the reason; for a host whose connection has
/// ended; and for a host that has been silent for the time of the knob host_timeout.
[[nodiscard]] std::string lost_host_line(std::string_view who, std::string_view why);
[[nodiscard]] std::string ended_host_line(std::string_view who);
[[nodiscard]] std::string silent_host_line(std::string_view who, duration limit);
/// Returns whether a line is one of these.
[[nodiscard]] bool tells_of_lost_host(std::string_view line) noexcept;
/// Returns whether a line reports a connection that has ended. The connection also ends when the
/// job's launcher ends the processes of that host because it has lost another host.
[[nodiscard]] bool tells_of_ended_host(std::string_view line) noexcept;

/// Returns the line of another process for a process that is gone.
[[nodiscard]] std::string died_line(std::string_view who);
/// Returns whether a line reports that a process or a host is gone. More such lines may follow the
/// first, for processes that the job's launcher ends.
[[nodiscard]] bool tells_of_death(std::string_view line) noexcept;

/// Return the lines for a process that was stopped and for one that continues, which are no
/// failures. `where`: text after the pid, for example " on host b".
[[nodiscard]] std::string stopped_line(std::string_view who, int pid, std::string_view where = {});
[[nodiscard]] std::string goes_on_line(std::string_view who);
/// Returns whether a line that begins with "upwash: " is one of them.
[[nodiscard]] bool tells_of_stopped(std::string_view line) noexcept;

}  // namespace upwash::conduit
