// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a trace tells, in numbers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tools/trace_choices.hpp"
#include "tools/trace_layers.hpp"
#include "upwash/observe/trace_files.hpp"

namespace upwash::tools {

/// Where a rank's time went, in ps. What lies within another thing counts as itself only: a handler
/// in a wait is library. `program`: what is left between its first event and its last.
struct time_shares {
  int rank = 0;
  std::int64_t program = 0;  ///< with what it told as computation
  std::int64_t wait = 0;
  std::int64_t library = 0;  ///< sending, handlers, memory operations
  [[nodiscard]] std::int64_t total() const noexcept { return program + wait + library; }
};

struct name_total {
  std::string name;
  std::uint64_t count = 0;
  std::int64_t ps = 0;
  std::int64_t longest_ps = 0;
};

/// The calls of a collective from one place. Calls that all traced ranks made are compared: the
/// last to begin is late by as much as the second last waits for it.
struct collective_total {
  std::string name;
  std::uint64_t calls = 0;  ///< of all ranks
  std::uint64_t least_bytes = 0;
  std::uint64_t most_bytes = 0;
  std::int64_t ps = 0;  ///< of all calls
  std::int64_t longest_ps = 0;
  std::uint64_t compared = 0;           ///< calls whose begins could be compared
  std::map<int, std::uint64_t> last;    ///< how often each rank was the last to begin
  std::map<int, std::int64_t> late_ps;  ///< by how much, in all
};

struct traffic {
  std::uint64_t messages = 0;  ///< and puts, gets, atomics
  std::uint64_t bytes = 0;
};

/// A part of the way that decided how long the job took: `rank` from then to then, and what it did
/// at its end.
struct path_part {
  int rank = 0;
  std::int64_t begin_ps = 0;
  std::int64_t end_ps = 0;
  std::string came_by;  ///< what led here: a message, a collective
};

struct trace_numbers {
  std::int64_t end_ps = 0;  ///< of the last event
  std::uint64_t events = 0;
  std::vector<time_shares> shares;                ///< by rank
  std::vector<name_total> waits;                  ///< the longest first
  std::vector<collective_total> collectives;      ///< the longest first
  std::map<std::pair<int, int>, traffic> matrix;  ///< from, to; to the owner of memory, too
  std::vector<std::uint64_t>
      sizes;                        ///< messages and memory operations of 0, 1, 2-3, 4-7, ... bytes
  std::vector<path_part> critical;  ///< from the begin to the end
  std::vector<name_total> steps;    ///< of collectives; the longest first
  std::vector<choice_total> choices;
  std::vector<stream_total> streams;
  matching_total matching;
  std::vector<migration_total> migrations;
};

/// O(events log events).
[[nodiscard]] trace_numbers numbers_of(const observe::trace& of);

/// What led to the end, found from there backwards: a rank's last wait was ended by a message,
/// whose sender is next; or by the last member to begin a collective.
[[nodiscard]] std::vector<path_part> critical_path(const observe::trace& of);

}  // namespace upwash::tools
