// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Recordings of matching: the posts, probes, cancels and arrivals of one rank, in the rank's own
// order. Every rank writes its own file, so ranks need not agree on anything while the job runs. If
// a rank dies, its last block (64 KiB) may be missing.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "upwash/matching/trace.hpp"

namespace upwash::matching {

/// The first line of every recording: schema and version. Then, as variable-length integers (7 bits
/// a byte, lowest first): rank, ranks, and the events, each a byte of kind and its fields.
/// Contexts count from 0 in the order in which they appear.
///   team     a context and the size of its team, before its first post, probe or claim
///   post, probe, claim, arrival
///            ns since the event before, context, source + 1, tag + 1, collective kind, bytes
///   cancel   ns since the event before, how many posts ago
inline constexpr std::string_view recording_header = "upwash matching recording, version 1\n";

/// Writes a recording, one block at a time. Not for several threads at once.
class recorder {
 public:
  /// Opens the file. Throws `error` (system) if it cannot be written.
  recorder(const std::string& path, std::int32_t rank, std::int32_t ranks);
  /// Writes the rest. Logs a failure.
  ~recorder();
  recorder(const recorder&) = delete;
  recorder& operator=(const recorder&) = delete;

  /// Adds a post, probe, claim or arrival. Contexts may have any numbers. Returns the number of the
  /// event's post, for `cancel`. team_size: 0 if it is not known here. Throws `error` (system) if
  /// the file cannot be written.
  std::uint64_t add(trace_event::kind what, std::uint64_t time_ns, const envelope& with,
                    std::uint64_t bytes, std::int32_t team_size);
  void cancel(std::uint64_t time_ns, std::uint64_t post);

 private:
  void put(std::uint64_t value);
  void begin(trace_event::kind what, std::uint64_t time_ns);
  void write();

  std::string path_;
  std::ofstream file_;
  std::string block_;
  struct context {
    std::uint32_t number;
    bool has_size = false;
  };
  std::unordered_map<std::uint32_t, context> contexts_;  ///< grows with teams
  std::uint64_t last_ns_ = 0;
  std::uint64_t posts_ = 0;
};

/// Returns the events of a recording. O(bytes). Throws `error` (argument) naming `name`, the byte
/// and the defect there.
[[nodiscard]] std::vector<trace_event> parse_recording(std::string_view bytes,
                                                       std::string_view name);

}  // namespace upwash::matching
