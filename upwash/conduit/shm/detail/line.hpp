// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One message on the wire: one cache line, and its payload elsewhere when it has not room here.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "upwash/base/copy_short.hpp"
#include "upwash/conduit/message.hpp"

namespace upwash::conduit::shm_detail {

inline constexpr std::size_t line_bytes = 64;
inline constexpr std::uint16_t inline_payload = 0xffff;  ///< as payload position; also of none

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
/// differ by the number of lines, far less than 65,536. Words are stored whole: a processor keeps
/// few stores that wait for their line.
struct alignas(line_bytes) line {
  std::array<std::byte, 48> body;
  std::uint64_t head;
  std::uint64_t last;
};
static_assert(sizeof(line) == line_bytes);

/// The word before the last. It is kept whole, and parts are taken out of it one by one: what is
/// stored in pieces and then loaded as one waits for all stores before it.
class line_head {
 public:
  [[nodiscard]] static constexpr line_head from(std::uint64_t word) noexcept {
    return line_head(word);
  }
  constexpr line_head(handler_id handler, std::size_t argument_bytes,
                      std::size_t payload_bytes) noexcept
      : word_(std::uint64_t{handler.offset} | std::uint64_t{handler.module} << 32U |
              std::uint64_t{argument_bytes} << 40U | std::uint64_t{payload_bytes} << 48U) {}

  [[nodiscard]] constexpr std::uint64_t word() const noexcept { return word_; }
  [[nodiscard]] constexpr std::uint32_t handler_offset() const noexcept {
    return static_cast<std::uint32_t>(word_);
  }
  [[nodiscard]] constexpr std::uint8_t handler_module() const noexcept {
    return static_cast<std::uint8_t>(word_ >> 32U);
  }
  [[nodiscard]] constexpr std::uint8_t argument_bytes() const noexcept {
    return static_cast<std::uint8_t>(word_ >> 40U);
  }
  [[nodiscard]] constexpr std::uint16_t payload_bytes() const noexcept {
    return static_cast<std::uint16_t>(word_ >> 48U);
  }

 private:
  explicit constexpr line_head(std::uint64_t word) noexcept : word_(word) {}

  std::uint64_t word_;
};

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

}  // namespace upwash::conduit::shm_detail
