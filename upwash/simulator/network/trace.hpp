// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Traffic of a program: the messages that crossed the network, with their times. A file has a line
// for each message, "time_ns source destination bytes", with node numbers. Lines that begin with #
// and empty lines are ignored.
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

/// Returns the messages of a text in the order of time; messages of equal time keep their order.
/// Throws `error` (configuration), with `origin` and the line, for a line that is no message
/// between two of `nodes` nodes.
[[nodiscard]] std::vector<trace_message> parse_trace(std::string_view text, std::string_view origin,
                                                     int nodes);
/// Reads a file likewise. Throws `error` (configuration) also if the file cannot be read.
[[nodiscard]] std::vector<trace_message> read_trace(const std::string& path, int nodes);

/// Writes a trace file, message by message.
class trace_writer {
 public:
  /// Throws `error` (configuration) if the file cannot be written.
  explicit trace_writer(const std::string& path);
  ~trace_writer();
  trace_writer(const trace_writer&) = delete;
  trace_writer& operator=(const trace_writer&) = delete;

  void write(const trace_message& one);
  /// Writes all messages to the file. Throws `error` (system) if that fails.
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

/// Sends each message at its time, independent of earlier messages, because a trace does not
/// contain the program's reaction. `messages`: in the order of time. Throws `error` (fault) for a
/// network without progress.
[[nodiscard]] trace_result run(const std::vector<trace_message>& messages,
                               const model::topology& on, const network_parameters& with,
                               std::uint64_t seed);

}  // namespace upwash::simulator
