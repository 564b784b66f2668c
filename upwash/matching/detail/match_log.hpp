// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A rank's record of its matching: its own recording (knob match_trace), the rank's trace, or both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "upwash/core/job.hpp"
#include "upwash/matching/engines/envelope.hpp"
#include "upwash/matching/recording.hpp"
#include "upwash/matching/trace.hpp"
#include "upwash/observe/trace_writer.hpp"

namespace upwash::matching::detail {

/// The log of one rank. Called before each event has its effect.
class match_log {
 public:
  /// The number of entries in either queue.
  struct depths {
    std::size_t posted = 0;
    std::size_t unexpected = 0;
    friend bool operator==(const depths&, const depths&) = default;
  };
  /// `recording`: the file; empty: none. `trace`: null: none.
  match_log(job& here, const std::string& recording, observe::trace_writer* trace);

  /// Adds a post, probe, claim or arrival. `peer`: the source's world rank, -1: any. Returns the
  /// number of a post. The trace has no probes, because a waiting program may make any number of
  /// them.
  std::uint64_t add(trace_event::kind what, const envelope& with, std::size_t bytes, int team_size,
                    int peer, const depths& before);
  /// Notes an arrival from before this log that another log recorded.
  void moved(const envelope& with, std::size_t bytes);
  void cancel(std::uint64_t post, const depths& before);
  /// Ends the log.
  void last(const depths& now);

 private:
  [[nodiscard]] std::uint64_t now_ns() const {
    return static_cast<std::uint64_t>(here_.now().ns());
  }
  void write_depths(const depths& now);
  void write(trace_event::kind what, const envelope& with, std::size_t bytes, int peer);

  job& here_;
  std::unique_ptr<recorder> recorder_;
  observe::trace_writer* trace_;
  depths written_;
};

}  // namespace upwash::matching::detail
