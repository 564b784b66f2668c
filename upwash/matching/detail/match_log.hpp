// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where a rank writes what is matched: a recording of its own (knob match_trace), the trace of what
// the rank does, or both.
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

/// Told before each event has its effect. One rank's.
class match_log {
 public:
  /// Entries in either queue.
  struct depths {
    std::size_t posted = 0;
    std::size_t unexpected = 0;
    friend bool operator==(const depths&, const depths&) = default;
  };
  /// `recording`: the file, empty: none; `trace`: null: none.
  match_log(job& here, const std::string& recording, observe::trace_writer* trace);

  /// A post, probe, claim or arrival. `peer`: the source's world rank, -1: any. Returns the number
  /// of a post. The trace has no probes: a program that waits may make any number.
  std::uint64_t add(trace_event::kind what, const envelope& with, std::size_t bytes, int team_size,
                    int peer, const depths& before);
  /// An arrival of before this log, when another one was told of it.
  void moved(const envelope& with, std::size_t bytes);
  void cancel(std::uint64_t post, const depths& before);
  /// At the end.
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
