// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Full buffers that a member pushed for itself, until they are delivered.
#pragma once

#include <cstddef>
#include <utility>

#include "upwash/base/fifo.hpp"
#include "upwash/streaming/detail/buffers.hpp"

namespace upwash::streaming {

class own_batches {
 public:
  /// `memory`: bytes above which the newest batch is taken first. `ordered`: the oldest is always
  /// taken first.
  own_batches(std::size_t memory, bool ordered) : memory_(memory), ordered_(ordered) {}

  void keep(batch&& what) {
    bytes_ += what.used;
    waiting_.push_back(std::move(what));
  }
  /// Takes the oldest batch; above the stream's memory the newest. Pushes of handlers to their own
  /// member are then handled depth first, not breadth first: a tree of pushes keeps a few buffers
  /// for each of its levels.
  [[nodiscard]] batch take() {
    const bool newest = bytes_ > memory_ && !ordered_;
    batch next = std::move(newest ? waiting_.back() : waiting_.front());
    newest ? waiting_.pop_back() : waiting_.pop_front();
    bytes_ -= next.used;
    return next;
  }
  [[nodiscard]] std::size_t size() const noexcept { return waiting_.size(); }
  [[nodiscard]] bool empty() const noexcept { return waiting_.empty(); }

 private:
  const std::size_t memory_;
  const bool ordered_;
  fifo<batch> waiting_;    ///< oldest first
  std::size_t bytes_ = 0;  ///< of their records
};

}  // namespace upwash::streaming
