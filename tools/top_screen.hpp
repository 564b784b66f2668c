// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The table of `upwash top`: a line a rank, as many as the terminal has.
#pragma once

#include <string>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/launch/job_view.hpp"
#include "upwash/observe/counters.hpp"

namespace upwash::tools {

/// What ranks did in a second.
struct rates {
  double processors = 0;
  double messages = 0;
  double bytes = 0;
  double memory_operations = 0;
  double collectives = 0;

  rates& operator+=(const rates& other) noexcept {
    processors += other.processors;
    messages += other.messages;
    bytes += other.bytes;
    memory_operations += other.memory_operations;
    collectives += other.collectives;
    return *this;
  }
};

/// What a rank has done so far.
struct activity {
  counters done;
  std::uint64_t collectives = 0;
};

class top_screen {
 public:
  explicit top_screen(launch::running_job job) : job_(std::move(job)) {}

  /// Asks the ranks, and draws over what was there, or below it where there is no terminal. Rates
  /// are those since the time before. Blocking, for `patience` at most.
  void show(launch::job_view& view, duration patience);

 private:
  /// What was known of a rank when it answered last.
  struct seen {
    activity did;
    duration at;
    double processor_seconds = 0;
  };

  [[nodiscard]] std::string line_of(const launch::job_view& view, const observe::standing& is,
                                    duration now, rates& total);

  launch::running_job job_;
  std::vector<seen> before_;
  duration shown_at_;
};

}  // namespace upwash::tools
