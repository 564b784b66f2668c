// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The board on which the ranks of a job post their status when the gathering process asks.
#pragma once

#include <atomic>
#include <cstdint>

#include "upwash/observe/standing.hpp"

namespace upwash::observe {

/// The board as one process sees it. Called by the thread that drives its ranks, outside signal
/// handlers.
class hang_board {
 public:
  /// Returns the number of the last question, 0 before the first. One load shows whether to answer.
  [[nodiscard]] const std::atomic<std::uint32_t>& question() const noexcept { return *question_; }

  /// Posts the status of a rank as its answer to that question. Nonblocking.
  virtual void answer(const standing& mine, std::uint32_t question) noexcept = 0;

  /// Reports that a rank has waited longer than the knob hang_report, so a question is due.
  /// Nonblocking.
  virtual void tell_of_hang() noexcept = 0;

  /// Advances the gathering if a process of the job does it. Called rarely, from long waits.
  virtual void look() {}

 protected:
  explicit hang_board(const std::atomic<std::uint32_t>& question) : question_(&question) {}
  ~hang_board() = default;

 private:
  const std::atomic<std::uint32_t>* question_;
};

}  // namespace upwash::observe
