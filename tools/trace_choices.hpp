// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the tuner chose in a traced job: for what, among what, and what that then took.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "upwash/observe/trace_files.hpp"
#include "upwash/observe/traced_choice.hpp"

namespace upwash::tools {

/// Calls of one collective by one algorithm. A call lasts from its last member's begin to its last
/// end, so that nobody's being late counts.
struct algorithm_runs {
  std::string algorithm;  ///< without its parameters
  std::uint64_t calls = 0;
  std::int64_t ps = 0;  ///< of all
  std::int64_t least_ps = 0;
};

/// Equal choices are one.
struct choice_total {
  observe::traced_choice is;
  std::uint64_t times = 0;
  int rank = 0;                ///< that told it first
  std::int64_t at_ps = 0;      ///< then
  std::int64_t length_ps = 0;  ///< of choosing, in all, at those who tell
  std::vector<algorithm_runs> ran;
};

/// In the order of time. Choices whose text had no room are left out. O(events log events).
[[nodiscard]] std::vector<choice_total> choices_of(const observe::trace& of);

/// What an event is called on a page or in an export: of a choice one line.
[[nodiscard]] std::string event_name(const observe::traced_rank& rank,
                                     const observe::trace_event& e);

}  // namespace upwash::tools
