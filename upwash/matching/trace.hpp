// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Recorded streams of matching: who posted, sent and probed what, in the order of a common clock.
// Text, a line an event: `time_ns,rank,event,peer,tag,context`, with that line first.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace upwash::matching {

/// send: `rank` sends to `peer`. post, probe: `rank` asks for a message of `peer`.
struct trace_event {
  enum class kind : std::uint8_t { send, post, probe };
  std::uint64_t time_ns = 0;
  std::int32_t rank = 0;
  kind what = kind::send;
  std::int32_t peer = 0;
  std::int32_t tag = 0;
  std::uint32_t context = 0;
};

/// At most this many ranks in a trace.
inline constexpr std::int32_t most_trace_ranks = 1 << 24;

/// Throws `error` (argument) naming `name`, the line and what is wrong with it. O(text).
[[nodiscard]] std::vector<trace_event> parse_trace(std::string_view text, std::string_view name);
/// The same of a file; throws `error` (system) when it cannot be read.
[[nodiscard]] std::vector<trace_event> read_trace(const std::string& path);
/// What `parse_trace` reads back.
[[nodiscard]] std::string to_text(const std::vector<trace_event>& events);

}  // namespace upwash::matching
