// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The event engine: a virtual clock and a queue of events, ordered by time, destination, source,
// and the source's number. The order of insertion has no influence, so a run is the same for every
// order in which events are scheduled.
#pragma once

#include <cstdint>
#include <vector>

#include "upwash/base/duration.hpp"

namespace upwash::simulator {

/// The effect of an event: `run(subject, argument)`.
struct action {
  void (*run)(void* subject, std::uint64_t argument) = nullptr;
  void* subject = nullptr;
  std::uint64_t argument = 0;
};

/// Memory: 8 bytes a source, and 56 bytes for each event pending at the peak.
class engine {
 public:
  /// `sources`: sources and destinations are 0 to sources - 1.
  explicit engine(int sources) : numbers_(static_cast<std::size_t>(sources), 0) {}

  /// Schedules an event at `at`, not earlier than now. O(log pending).
  void schedule(duration at, int destination, int source, action what);

  /// Runs the earliest event. Returns false if there is none.
  bool step();

  [[nodiscard]] duration now() const noexcept { return now_; }
  [[nodiscard]] bool empty() const noexcept { return heap_.empty(); }
  /// Returns the time of the earliest event; duration::max() if there is none.
  [[nodiscard]] duration next_time() const noexcept {
    return heap_.empty() ? duration::max() : duration::from_ps(heap_.front().time_ps);
  }
  [[nodiscard]] std::uint64_t events_run() const noexcept { return events_run_; }
  /// Returns a number that depends on all events run and their order: equal for equal runs.
  [[nodiscard]] std::uint64_t digest() const noexcept { return digest_; }

 private:
  struct entry {
    std::int64_t time_ps;
    std::uint64_t route;  ///< destination and source
    std::uint64_t number;
    std::uint32_t slot;

    friend bool operator<(const entry& a, const entry& b) noexcept {
      if (a.time_ps != b.time_ps) return a.time_ps < b.time_ps;
      if (a.route != b.route) return a.route < b.route;
      return a.number < b.number;
    }
  };

  void sift_up(std::size_t hole, const entry& item);
  void sift_down(const entry& item);

  duration now_;
  std::vector<entry> heap_;  ///< four children each: half the levels, two cache lines a level
  std::vector<action> slots_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint64_t> numbers_;
  std::uint64_t events_run_ = 0;
  std::uint64_t digest_ = 0;
};

}  // namespace upwash::simulator
