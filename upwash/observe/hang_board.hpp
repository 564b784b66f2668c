// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where the ranks of a job leave what they are in, when whoever gathers it asks.
#pragma once

#include <atomic>
#include <cstdint>

#include "upwash/observe/standing.hpp"

namespace upwash::observe {

/// As one process sees it. Called by the thread that drives its ranks, outside signal handlers.
class hang_board {
 public:
  /// The number of the last question, 0 before the first. One load tells whether to answer.
  [[nodiscard]] const std::atomic<std::uint32_t>& question() const noexcept { return *question_; }

  /// Leaves what a rank is in, in answer to that question. Nonblocking.
  virtual void answer(const standing& mine, std::uint32_t question) noexcept = 0;

  /// A rank has waited longer than the knob hang_report: somebody is to ask. Nonblocking.
  virtual void tell_of_hang() noexcept = 0;

  /// Moves the gathering on where a process of the job does it. Seldom, from waits that last.
  virtual void look() {}

 protected:
  explicit hang_board(const std::atomic<std::uint32_t>& question) : question_(&question) {}
  ~hang_board() = default;

 private:
  const std::atomic<std::uint32_t>* question_;
};

}  // namespace upwash::observe
