// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Algorithms that are written for an input and an output, in calls where one buffer is both: either
// the pieces of one lie in the other, or what must not be overwritten is copied first.
#pragma once

#include <cstdint>

#include "upwash/schedule/repetition.hpp"
#include "upwash/schedule/step.hpp"
#include "upwash/schedule/tape.hpp"

namespace upwash::schedule {

/// Where the rank's own pieces of the input and of the output lie.
struct relocation {
  buffer input = buffer::input;
  buffer output = buffer::output;
  std::uint64_t input_at = 0;
  std::uint64_t output_at = 0;
  /// Nothing is placed: what comes is written where there is something to read at first.
  bool asks_first = false;
};

/// The steps of an algorithm in one buffer.
class one_buffer {
 public:
  /// Elsewhere. A copy of what is at its place already moves no byte. A receive waits for the
  /// latest send within the window, which may still read what the receive overwrites.
  one_buffer(const relocation& to, std::uint32_t window) noexcept : to_(to), window_(window) {}
  /// Behind a copy of so many bytes of the output, which they read in place of an input; it lies
  /// in scratch from `at` on. Nothing is placed, because the copy must come before what the others
  /// send.
  one_buffer(std::uint64_t at, std::uint64_t bytes) noexcept
      : copies_(true), to_{.asks_first = true}, copy_at_(at), copy_bytes_(bytes) {}

  /// Of an algorithm of window `inner` behind a copy.
  [[nodiscard]] static std::uint32_t window_of(std::uint32_t inner) noexcept;
  [[nodiscard]] bool copies() const noexcept { return copies_; }

  /// A step of its own, before the algorithm's next; false: none.
  bool emits(step& out, tape& on);
  /// What the algorithm has just emitted.
  void change(step& s, const tape& on);

 private:
  /// So many steps at most lie between the copy and one that waits for it: behind them stands an
  /// empty one, which waits for the copy too.
  static constexpr std::uint32_t within = 32;

  void relocate(step& s, const tape& on);
  void move(piece& p) const noexcept;
  void read_copy(step& s, const tape& on) const;
  void wait_for_send(step& s, const tape& on) const noexcept;

  bool copies_ = false;
  relocation to_;
  std::uint32_t window_ = 0;
  std::uint64_t copy_at_ = 0;
  std::uint64_t copy_bytes_ = 0;
  mark copied_ = never;
  mark sent_ = never;
};

}  // namespace upwash::schedule
