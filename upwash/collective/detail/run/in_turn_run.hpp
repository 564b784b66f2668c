// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The steps of an operation that go one after the other on the team's board, from progress to
// progress: taken forward by the rank, and by its progress thread where that is worth its while.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "upwash/collective/detail/run/compact_run.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/lent_tasks.hpp"

namespace upwash::collective::detail {

class in_turn_run final : public lent_task {
 public:
  in_turn_run() = default;
  in_turn_run(const in_turn_run&) = delete;
  in_turn_run& operator=(const in_turn_run&) = delete;
  ~in_turn_run() override { end(); }

  /// Where all steps can run so; null: they cannot, and the rest may not be called.
  std::shared_ptr<const std::vector<compact_step>> steps;

  /// From the first step on. What `where` refers to outlives the run.
  void begin(const compact_run& where) {
    where_.emplace(where);
    next_ = 0;
    reads_aside_ = true;
    reads_ = read_bytes_ = 0;
    over_.store(steps->empty(), std::memory_order_relaxed);
  }

  /// Lends it where there is a thread and enough to move; end() takes it back. By the rank.
  bool lend();
  /// The thread is not at it any more. By the rank, at any time.
  void end() noexcept;

  /// As far as peers have come, unless the thread is at it. Returns how many steps.
  int go_on() { return lent_ ? host(where_->here).go_on(*this) : move(taken_by::rank); }
  /// The same, by `perform(run, step)`, which says whether it has; not of one that is lent.
  template <class Perform>
  int go_on(const Perform& perform, taken_by who = taken_by::rank) {
    const std::size_t before = next_;
    for (const compact_step* s = nullptr; (s = next_possible(who)) != nullptr;) {
      ++next_;  // a step that throws is not done twice
      if (perform(*where_, *s)) continue;
      --next_;
      break;
    }
    // Release: who sees it over sees what its steps wrote.
    if (next_ == steps->size()) over_.store(true, std::memory_order_release);
    return static_cast<int>(next_ - before);
  }
  [[nodiscard]] bool over() const noexcept { return over_.load(std::memory_order_acquire); }

 private:
  int move(taken_by who) override;
  [[nodiscard]] bool may_be_lent() const;
  bool perform_aside(const compact_run& run, const compact_step& s);
  [[nodiscard]] const compact_step* next_possible(taken_by who) const noexcept {
    if (next_ == steps->size()) return nullptr;
    const compact_step& s = (*steps)[next_];
    if (s.fetches && who == taken_by::thread && !reads_aside_) return nullptr;
    return where_->before(s).is_there() ? &s : nullptr;
  }

  std::optional<compact_run> where_;
  std::size_t next_ = 0;
  bool reads_aside_ = true;  ///< peers' private memory may be read by the thread: not refused yet
  std::uint64_t reads_ = 0;  ///< by the thread, which the rank counts at the end
  std::uint64_t read_bytes_ = 0;
  std::atomic<bool> over_ = false;
  bool lent_ = false;
};

}  // namespace upwash::collective::detail
