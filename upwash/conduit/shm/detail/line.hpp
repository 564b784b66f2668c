// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One message on the wire: one cache line, and its payload elsewhere when it has not room here.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace upwash::conduit::shm_detail {

inline constexpr std::size_t line_bytes = 64;
inline constexpr std::uint32_t inline_payload = 0xffff;  ///< as payload position

/// The room that a payload takes in its ring.
[[nodiscard]] constexpr std::uint32_t round_to_lines(std::size_t bytes) noexcept {
  return static_cast<std::uint32_t>((bytes + line_bytes - 1) & ~(line_bytes - 1));
}

///   0   arguments (48 B); an inline payload comes first, arguments behind it at 8-byte steps
///   48  handler offset u32   52  module u8   53  argument bytes u8   54  payload bytes u16
///   56  payload position / 64 u16   58  source u16   60  destination u16   62  sequence u16
///
/// Source and destination count within their processes. The last word is written last: its
/// sequence says that the whole line, and the payload, are there. A line's sequences in two laps
/// differ by the number of lines, far less than 65,536.
struct alignas(line_bytes) line {
  std::array<std::byte, 48> body;
  std::uint32_t handler;
  std::uint8_t module;
  std::uint8_t argument_bytes;
  std::uint16_t payload_bytes;
  std::uint64_t last;
};
static_assert(sizeof(line) == line_bytes);

/// The last word, taken apart.
struct line_tail {
  std::uint16_t position = 0;
  std::uint16_t source = 0;
  std::uint16_t destination = 0;
  std::uint16_t sequence = 0;

  [[nodiscard]] static constexpr line_tail from(std::uint64_t word) {
    return {static_cast<std::uint16_t>(word), static_cast<std::uint16_t>(word >> 16U),
            static_cast<std::uint16_t>(word >> 32U), static_cast<std::uint16_t>(word >> 48U)};
  }
  [[nodiscard]] constexpr std::uint64_t word() const {
    return std::uint64_t{position} | std::uint64_t{source} << 16U |
           std::uint64_t{destination} << 32U | std::uint64_t{sequence} << 48U;
  }
};

/// Asks for a line to be written soon: its transfer then overlaps with those before it.
inline void prefetch_to_write(const line* at) noexcept {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*at));  // the compiler takes a read's for this target
#else
  __builtin_prefetch(at, 1);
#endif
}

/// Copies at most 48 bytes without a call: two overlapping moves of the nearest power of two.
inline void copy_short(std::byte* to, const std::byte* from, std::size_t bytes) {
  const auto both_ends = [&]<class T>(T) {
    std::array<T, 2> ends;
    std::memcpy(&ends[0], from, sizeof(T));
    std::memcpy(&ends[1], from + bytes - sizeof(T), sizeof(T));
    std::memcpy(to, &ends[0], sizeof(T));
    std::memcpy(to + bytes - sizeof(T), &ends[1], sizeof(T));
  };
  struct half {
    std::array<std::uint64_t, 2> words;
  };
  struct whole {
    std::array<std::uint64_t, 4> words;
  };
  if (bytes >= 32) {
    both_ends(whole{});
  } else if (bytes >= 16) {
    both_ends(half{});
  } else if (bytes >= 8) {
    both_ends(std::uint64_t{});
  } else if (bytes >= 4) {
    both_ends(std::uint32_t{});
  } else {
    for (std::size_t i = 0; i < bytes; ++i) to[i] = from[i];
  }
}

}  // namespace upwash::conduit::shm_detail
