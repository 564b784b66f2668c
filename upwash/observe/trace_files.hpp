// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The files of a trace. While a job runs FILE.parts has one for each rank; at its end they become
// one FILE: a line, the number of parts, and the parts, each behind its length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "upwash/observe/trace_format.hpp"

namespace upwash::observe {

[[nodiscard]] std::string parts_folder(std::string_view file);

/// Removes the parts that an earlier job may have left.
void forget_parts(std::string_view file);

/// Throws `error` (environment) when FILE exists and is no regular file: a trace is read back.
void check_trace_file(const std::string& file);

/// The right of one job to write a trace, from before its ranks start until the parts are merged.
/// Held by the process that merges them, and lost when that process dies.
class trace_claim {
 public:
  /// Makes the folder of the parts, and removes those that an earlier job has left. Throws `error`
  /// (environment) when another job writes this trace, when FILE is no regular file, or when the
  /// folder cannot be made.
  explicit trace_claim(std::string file);
  /// Removes the folder if it is empty.
  ~trace_claim();
  trace_claim(const trace_claim&) = delete;
  trace_claim& operator=(const trace_claim&) = delete;

 private:
  std::string file_;
  int folder_ = -1;  ///< locked
};

/// Puts the parts of a trace together in FILE and removes them. What fails is told as a warning,
/// and the parts stay. FILE is written as an output_file. Without parts there is no FILE. O(bytes).
void merge_parts(const std::string& file);

/// What one rank wrote.
struct traced_rank {
  trace_head head;
  std::vector<std::string> names;
  std::vector<trace_event> events;  ///< by their ends
  std::uint64_t overwritten = 0;    ///< events that were first and made room

  [[nodiscard]] std::string_view name_of(const trace_event& e) const noexcept {
    return names[e.name < names.size() ? e.name : 0];
  }
};

struct trace {
  std::vector<traced_rank> ranks;   ///< by rank; only those that there are
  std::vector<std::string> faults;  ///< what is missing or wrong, a line each

  [[nodiscard]] int size() const noexcept { return ranks.empty() ? 0 : ranks.front().head.ranks; }
  [[nodiscard]] bool virtual_time() const noexcept {
    return !ranks.empty() && ranks.front().head.virtual_time != 0;
  }
};

/// Reads a trace: FILE, or the parts beside it where it has not been put together, or a folder of
/// parts. All times are on one clock then that is 0 at the first event: hosts are set by the
/// world's clock, then so that no message comes before it goes. Nothing in the files is trusted:
/// what is wrong is left out and told in `faults`. Throws `error` (argument) where there is no
/// trace. Memory: 40 bytes an event.
[[nodiscard]] trace read_trace(const std::string& path);

}  // namespace upwash::observe
