// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Runs algorithms for separate input and output in calls with one buffer. Either the pieces of one
// buffer lie in the other, or data that must not be overwritten is copied first.
#pragma once

#include <cstdint>

#include "upwash/schedule/repetition.hpp"
#include "upwash/schedule/step.hpp"
#include "upwash/schedule/tape.hpp"

namespace upwash::schedule {

/// The position of the rank's own pieces of the input and the output.
struct relocation {
  buffer input = buffer::input;
  buffer output = buffer::output;
  std::uint64_t input_at = 0;
  std::uint64_t output_at = 0;
  /// No edge is placed: arriving data goes to pieces that are still to be read.
  bool asks_first = false;
};

/// The steps of an algorithm in one buffer.
class one_buffer {
 public:
  /// Relocates the pieces. A copy of data to its own position moves no byte. A receive waits for
  /// the latest send within the window, which may still read the bytes that the receive overwrites.
  one_buffer(const relocation& to, std::uint32_t window) noexcept : to_(to), window_(window) {}
  /// Puts a copy of `bytes` bytes of the output in front; the steps read it as their input. The
  /// copy lies in scratch from `at` on. No edge is placed, because the copy must precede the data
  /// of the other ranks.
  one_buffer(std::uint64_t at, std::uint64_t bytes) noexcept
      : copies_(true), to_{.asks_first = true}, copy_at_(at), copy_bytes_(bytes) {}

  /// Returns the window of an algorithm with window `inner` after a copy.
  [[nodiscard]] static std::uint32_t window_of(std::uint32_t inner) noexcept;
  [[nodiscard]] bool copies() const noexcept { return copies_; }

  /// Emits an extra step before the algorithm's next one. Returns false if there is none.
  bool emits(step& out, tape& on);
  /// Changes the step that the algorithm has just emitted.
  void change(step& s, const tape& on);

 private:
  /// Maximum number of steps between the copy and a step that waits for it. After them an empty
  /// step follows, which waits for the copy too.
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
