// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The processors of the ranks walked: when they are free, and what they take up next.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "upwash/schedule/detail/price/agenda.hpp"
#include "upwash/schedule/detail/price/rank_window.hpp"

namespace upwash::schedule::detail {

/// Owns each processor's time and the tasks that only it is missing for: the earliest step of the
/// schedule goes first, as an executor takes them. Memory: 48 bytes a rank walked, 32 bytes a task.
/// Used against the agenda.
class processors {
 public:
  processors(agenda& events, int ranks) : events_(events), all_(static_cast<std::size_t>(ranks)) {}

  /// When work that could begin at `at` does.
  [[nodiscard]] duration earliest(int rank, duration at) const noexcept {
    return std::max(at, all_[static_cast<std::size_t>(rank)].free);
  }
  /// Work that begins at `at`, or once the processor is free; its end.
  duration spend(int rank, duration at, duration cost) noexcept {
    processor& one = of(rank);
    if (cost == duration()) return std::max(at, one.free);
    one.free = std::max(at, one.free) + cost;
    one.busy += cost;
    all_busy_ += cost;
    return one.free;
  }
  /// Work that goes on beside the rank's steps, and keeps no step waiting.
  void spend_aside(int rank, duration cost) noexcept {
    of(rank).busy += cost;
    all_busy_ += cost;
  }
  [[nodiscard]] duration busy(int rank) const noexcept {
    return all_[static_cast<std::size_t>(rank)].busy;
  }
  /// Of all ranks walked, but for what was passed over.
  [[nodiscard]] duration all_busy() const noexcept { return all_busy_; }
  /// Rounds are passed over that take so long and keep it so busy.
  void pass_over(int rank, duration time, duration busy) noexcept {
    of(rank).free += time;
    of(rank).busy += busy;
  }

  /// Whether the processor takes up at once what becomes possible now. What does so at the same
  /// time competes: a free processor chooses once all has happened.
  [[nodiscard]] bool takes_at_once(const event& e) const noexcept {
    const processor& one = all_[static_cast<std::size_t>(e.rank)];
    return one.tasks.empty() && one.free <= e.at && !events_.next_is_now_of(e.rank);
  }
  /// What becomes possible for this step waits for its turn.
  void add(const event& e, step_number of_step);
  /// What the processor takes up, where it is free; whoever has done it calls `choose_later`.
  [[nodiscard]] std::optional<event> choose(int rank, duration at);
  void choose_later(int rank, duration at);

 private:
  /// What belongs to no step goes with the earliest open.
  struct task {
    step_number step;
    std::uint64_t order;  ///< of becoming possible
    happening what;
    std::uint64_t subject;

    friend bool operator<(const task& a, const task& b) noexcept {
      return a.step != b.step ? a.step > b.step : a.order > b.order;
    }
  };
  struct processor {
    duration free;
    duration busy;
    std::vector<task> tasks;  ///< a heap
    bool chooses = false;     ///< an event for it is under way
  };
  [[nodiscard]] processor& of(int rank) noexcept { return all_[static_cast<std::size_t>(rank)]; }

  agenda& events_;
  std::vector<processor> all_;
  duration all_busy_;
  std::uint64_t tasks_ = 0;
};

}  // namespace upwash::schedule::detail
