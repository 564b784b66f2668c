// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One step of a collective as one rank goes through it, over symbolic buffers: no addresses, no
// data. Executor, counter, validator and drawings all read these.
#pragma once

#include <array>
#include <cstdint>

namespace upwash::schedule {

/// The buffers of a collective. Scratch is the executor's, its size declared by the generator.
enum class buffer : std::uint8_t { none, input, output, scratch };

/// A piece of a buffer, in bytes; whole elements where elements matter.
struct piece {
  buffer of = buffer::none;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;

  [[nodiscard]] constexpr std::uint64_t end() const noexcept { return offset + bytes; }
  [[nodiscard]] constexpr bool overlaps(const piece& other) const noexcept {
    return of != buffer::none && of == other.of && bytes != 0 && other.bytes != 0 &&
           offset < other.end() && other.offset < end();
  }
  friend constexpr bool operator==(const piece&, const piece&) = default;
};

enum class step_kind : std::uint8_t {
  send,     ///< `left` goes to `peer` as edge `edge`
  receive,  ///< edge `edge` from `peer` is written to `into`
  copy,     ///< into = left
  reduce,   ///< into = left op right; `into` may be `left` or `right`
};

/// A step names what it waits for by distance: 1 is the step emitted before it. A generator keeps
/// all distances within its window, so that a consumer remembers no more than that.
struct step {
  static constexpr std::size_t most_dependencies = 4;

  step_kind kind = step_kind::copy;
  int peer = -1;            ///< rank in the team
  std::uint32_t edge = 0;   ///< the same at both ends; unique for (source, destination)
  std::uint32_t round = 0;  ///< for counting and drawing
  piece left;
  piece right;
  piece into;
  std::array<std::uint32_t, most_dependencies> after{};  ///< distances; 0: none

  /// What the step reads and writes; `buffer::none` where nothing.
  [[nodiscard]] constexpr std::array<piece, 2> reads() const noexcept { return {left, right}; }
  [[nodiscard]] constexpr piece writes() const noexcept { return into; }
};

}  // namespace upwash::schedule
