// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/script.hpp"

#include <algorithm>
#include <stdexcept>

#include "upwash/base/prefetch.hpp"
#include "upwash/schedule/part.hpp"

namespace upwash::schedule {

void* script::make_frame(std::size_t bytes) {
  if (frames_in_use_ == most_frames) {
    throw std::logic_error("a schedule has too many parts of parts: four levels are the most");
  }
  frame& next = frames_[frames_in_use_];
  if (next.bytes < bytes) {
    next.memory = std::make_unique_for_overwrite<std::byte[]>(bytes);
    next.bytes = bytes;
  }
  ++frames_in_use_;
  return next.memory.get();
}

std::size_t script::frame_bytes() const noexcept {
  std::size_t all = 0;
  for (const frame& one : frames_) all += one.bytes;
  return all;
}

void script::prefetch() const noexcept { upwash::prefetch(this, sizeof *this); }

void script::prefetch_frames() const noexcept {
  // What each step touches lies mostly at the beginning; all of it would take room from the rest.
  constexpr std::size_t most = 128;
  for (const frame& one : frames_) upwash::prefetch(one.memory.get(), std::min(one.bytes, most));
}

void script::begin(steps&& of) {
  innermost_ = of.where();
  running_.emplace(std::move(of));
}

void script::give_up() noexcept {
  running_.reset();
  innermost_ = nullptr;
  in_ = nullptr;
  between_ = nullptr;
  watched_ = ahead_ = false;
  drop_written();
}

void script::resume(step& out, tape& on) {
  const mark emitted = on.latest();
  out_ = &out;
  on_ = &on;
  // A part that begins or ends comes back here, and not straight to who goes on: parts without any
  // step would pile up on the stack where compilers make no tail calls.
  std::coroutine_handle<> resumed;
  do {
    resumed = innermost_;
    resumed.resume();
  } while (innermost_ != resumed && on.latest() == emitted);
  check_emitted();
}

/// The step becomes one of whatever the part is a part of; who goes through a part step by step
/// goes on then.
void script::emitted_by_part() {
  part* stepwise = nullptr;
  for (part* inside = in_; inside != nullptr; inside = inside->outside_) {
    if (!inside->stays_) place_next(*out_, inside->as_, *on_);
    if (stepwise == nullptr && inside->stepwise_) stepwise = inside;
  }
  if (stepwise == nullptr) return;
  stepwise->innermost_ = innermost_;
  stepwise->in_ = in_;
  innermost_ = stepwise->parent_;
  in_ = stepwise->outside_;
}

std::coroutine_handle<> script::ended() noexcept {
  if (in_ != nullptr) {
    innermost_ = in_->parent_;
    in_ = in_->outside_;
  }
  return std::noop_coroutine();
}

bool script::next(step& out, tape& on) {
  if (std::exchange(ahead_, false)) {
    out = *next_;
    return true;
  }
  do {
    if (innermost_.done()) return false;  // all has ended, or what was resumed last has thrown
    between_ = nullptr;
    resume(out, on);
  } while (between_ != nullptr);
  return !running_->ended();
}

/// Goes on to where the next round begins, or to the next step, which is kept for `next`.
repetition script::repeats(tape& on) {
  watched_ = true;
  if (between_ == nullptr && !ahead_ && !innermost_.done()) {
    if (!next_) next_ = std::make_unique<step>();
    next_->clear();
    resume(*next_, on);
    ahead_ = between_ == nullptr && !running_->ended();
  }
  if (between_ == nullptr) return {};
  const std::uint64_t gone = between_->next_;
  const std::uint64_t from = between_->from_ - std::min(between_->from_, gone);
  const std::uint64_t left = between_->count_ - std::min(between_->count_, gone + from);
  return {.from = from,
          .rounds = std::min(left, between_->alike_ - std::min(between_->alike_, from)),
          .edges = between_->edges_};
}

void script::skip(std::uint64_t rounds) noexcept {
  between_->next_ += rounds;
  between_->alike_ -= std::min(between_->alike_, rounds);
}

}  // namespace upwash::schedule
