// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/script.hpp"

#include <algorithm>

namespace upwash::schedule {

void* script::make_frame(std::size_t bytes) {
  frame_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
  frame_bytes_ = bytes;
  return frame_.get();
}

void script::resume(step& out, tape& on) {
  out_ = &out;
  on_ = &on;
  running_->resume();
}

bool script::next(step& out, tape& on) {
  if (std::exchange(ahead_, false)) {
    out = *next_;
    return true;
  }
  do {
    if (running_->ended()) return false;
    between_ = nullptr;
    resume(out, on);
  } while (between_ != nullptr);
  return !running_->ended();
}

/// Goes on to where the next round begins, or to the next step, which is kept for `next`.
repetition script::repeats(tape& on) {
  watched_ = true;
  if (between_ == nullptr && !ahead_ && !running_->ended()) {
    if (!next_) next_ = std::make_unique<step>();
    next_->clear();
    resume(*next_, on);
    ahead_ = between_ == nullptr && !running_->ended();
  }
  if (between_ == nullptr) return {};
  const std::uint64_t gone = between_->next_;
  const std::uint64_t from = between_->from_ - std::min(between_->from_, gone);
  return {.from = from,
          .rounds = between_->count_ - std::min(between_->count_, gone + from),
          .edges = between_->edges_};
}

void script::skip(std::uint64_t rounds) noexcept { between_->next_ += rounds; }

}  // namespace upwash::schedule
