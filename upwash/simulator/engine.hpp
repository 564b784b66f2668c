// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The event engine: a virtual clock and a queue of events in the order of (time, destination,
// source, number of the source). The order of insertion never decides, so a run is the same
// however its events came to be scheduled.
#pragma once

#include <cstdint>
#include <vector>

#include "upwash/base/duration.hpp"

namespace upwash::simulator {

/// What happens at an event: `run(subject, argument)`.
struct action {
  void (*run)(void* subject, std::uint64_t argument) = nullptr;
  void* subject = nullptr;
  std::uint64_t argument = 0;
};

/// Memory: 8 bytes a source, 56 bytes an event pending at the worst moment.
class engine {
 public:
  /// Sources and destinations are 0 .. sources - 1.
  explicit engine(int sources) : numbers_(static_cast<std::size_t>(sources), 0) {}

  /// Schedules an event not before now. O(log pending).
  void schedule(duration at, int destination, int source, action what);

  /// Runs the earliest event; false when there is none.
  bool step();

  [[nodiscard]] duration now() const noexcept { return now_; }
  [[nodiscard]] bool empty() const noexcept { return heap_.empty(); }
  /// Time of the earliest event, duration::max() without one.
  [[nodiscard]] duration next_time() const noexcept {
    return heap_.empty() ? duration::max() : duration::from_ps(heap_.front().time_ps);
  }
  [[nodiscard]] std::uint64_t events_run() const noexcept { return events_run_; }
  /// Depends on every event run and its place in the order: equal for equal runs.
  [[nodiscard]] std::uint64_t digest() const noexcept { return digest_; }

 private:
  struct entry {
    std::int64_t time_ps;
    std::uint64_t route;  ///< destination, source
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
  std::vector<entry> heap_;  ///< four children each: half the levels, two cache lines a step
  std::vector<action> slots_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint64_t> numbers_;
  std::uint64_t events_run_ = 0;
  std::uint64_t digest_ = 0;
};

}  // namespace upwash::simulator
