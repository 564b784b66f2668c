// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a trace tells of streams, of tagged messages, and of objects that migrated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "upwash/observe/trace_files.hpp"

namespace upwash::tools {

/// The messages of the streams opened at one place that left for one cause.
struct stream_total {
  std::string opened_at;
  std::string cause;  ///< full, threshold, timed_out, idle, asked, alone, urgent, fetched
  std::uint64_t messages = 0;
  std::uint64_t items = 0;
  std::uint64_t bytes = 0;
  double fill = 0;  ///< sum of what each was full of what buffers are sent at: 1 is full
  /// How many were full up to 10 %, 20 %, ... 100 %, and above.
  std::array<std::uint64_t, 11> fills{};
  std::map<int, std::uint64_t> receivers;  ///< messages to each world rank
};

/// By place and cause. O(events).
[[nodiscard]] std::vector<stream_total> streams_of(const observe::trace& of);

/// Of one tag.
struct tag_total {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

/// Tagged messages and the queues in which they meet their receives.
struct matching_total {
  std::uint64_t messages = 0;
  std::uint64_t found_a_receive = 0;  ///< that waited
  std::uint64_t kept = 0;             ///< none waited: they came before their receive
  std::uint64_t receives = 0;
  std::uint64_t found_a_message = 0;  ///< that was kept
  std::uint64_t waited = 0;           ///< none was kept: posted before their message
  std::map<std::uint32_t, tag_total> tags;
  struct at_rank {
    int rank = 0;
    std::uint64_t most_posted = 0;
    std::uint64_t most_kept = 0;
  };
  std::vector<at_rank> ranks;  ///< those with tagged messages
  /// The deepest queues of all ranks, in even stretches of time up to the end.
  std::vector<std::uint64_t> posted;
  std::vector<std::uint64_t> unexpected;
};

/// `stretches`: of time, for the depths. O(events + ranks stretches).
[[nodiscard]] matching_total matching_of(const observe::trace& of, std::int64_t end_ps,
                                         std::size_t stretches);

/// Objects of an array that left one rank for another.
struct migration_total {
  std::string name;
  int from = 0;
  int to = 0;
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;  ///< of their states
};

[[nodiscard]] std::vector<migration_total> migrations_of(const observe::trace& of);

}  // namespace upwash::tools
