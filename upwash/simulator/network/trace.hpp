// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Traffic as a program made it: which messages crossed the network, and when. A file has a line for
// each message, "time_ns source destination bytes", nodes by number; lines that begin with # and
// empty ones say nothing.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/model/topology.hpp"
#include "upwash/simulator/network/parameters.hpp"

namespace upwash::simulator {

struct trace_message {
  duration at;  ///< it leaves its processor
  int source = 0;
  int destination = 0;
  std::uint64_t bytes = 0;
};

/// The messages of a text in the order of time, those of equal time as written. `origin` stands in
/// the errors: `error` (configuration) with the line for what is no message between two of `nodes`
/// nodes.
[[nodiscard]] std::vector<trace_message> parse_trace(std::string_view text, std::string_view origin,
                                                     int nodes);
/// Reads a file so. Throws `error` (configuration) also when it cannot be read.
[[nodiscard]] std::vector<trace_message> read_trace(const std::string& path, int nodes);

/// Writes such a file, message by message, as they are told.
class trace_writer {
 public:
  /// Throws `error` (configuration) when the file cannot be written.
  explicit trace_writer(const std::string& path);
  ~trace_writer();
  trace_writer(const trace_writer&) = delete;
  trace_writer& operator=(const trace_writer&) = delete;

  void write(const trace_message& one);
  /// All that was told is in the file. Throws `error` (system) when it is not.
  void flush();

 private:
  std::string path_;
  std::FILE* file_;
};

struct trace_result {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  duration last_sent;
  duration last_arrived;
  double latency_avg_ns = 0;  ///< from the hand-over to the last byte
  double latency_p99_ns = 0;
  std::uint64_t packet_hops = 0;
};

/// Sends each message at its time, whatever became of those before: its program's reaction is not
/// in a trace. In the order of time. Throws `error` (fault) for a network that stands still.
[[nodiscard]] trace_result run(const std::vector<trace_message>& messages,
                               const model::topology& on, const network_parameters& with,
                               std::uint64_t seed);

}  // namespace upwash::simulator
