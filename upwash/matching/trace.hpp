// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Traces of matching: the posts, sends and probes of ranks. As text, in the order of a common
// clock, an event is one line: `time_ns,rank,event,peer,tag,context`. This line also comes first.
// Or in upwash's own recordings (recording.hpp), one file a rank.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "upwash/matching/engines/envelope.hpp"

namespace upwash::matching {

/// One event. send: `rank` sends to `peer`. post, probe, claim: `rank` asks for a message of
/// `peer`. arrival: a message of `peer` arrives at `rank`. cancel: `rank` takes a post back. Only
/// recordings (recording.hpp) have the last three kinds and the fields from `bytes` on.
struct trace_event {
  enum class kind : std::uint8_t { send, post, probe, claim, arrival, cancel };
  std::uint64_t time_ns = 0;
  std::int32_t rank = 0;
  kind what = kind::send;
  std::int32_t peer = 0;
  std::int32_t tag = 0;
  std::uint32_t context = 0;
  std::uint64_t bytes = 0;               ///< of the message, or of the receive's buffer
  std::uint32_t kind_of_collective = 0;  ///< envelope::kind; 0: point to point
  std::int32_t team_size = 0;
  std::uint64_t number = 0;  ///< of a post at its rank, from 0; cancel: of its post

  /// `receiver` returns the rank whose queues the event concerns. `source` returns the rank that
  /// sends the message or is asked for (-1: any).
  [[nodiscard]] std::int32_t receiver() const noexcept { return what == kind::send ? peer : rank; }
  [[nodiscard]] std::int32_t source() const noexcept { return what == kind::send ? rank : peer; }

  bool operator==(const trace_event&) const = default;
};

/// The largest number of ranks in a trace.
inline constexpr std::int32_t most_trace_ranks = 1 << 24;

/// Parses a trace. O(text). Throws `error` (argument) naming `name`, the line and the defect.
[[nodiscard]] std::vector<trace_event> parse_trace(std::string_view text, std::string_view name);
/// Reads a file, text or recording, or the recordings FILE.0, FILE.1, ... of a job. Throws `error`
/// (system) if it cannot be read; otherwise as `parse_trace`.
[[nodiscard]] std::vector<trace_event> read_trace(const std::string& path);
/// Returns the events as text for `parse_trace`.
[[nodiscard]] std::string to_text(const std::vector<trace_event>& events);

}  // namespace upwash::matching
