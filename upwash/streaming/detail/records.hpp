// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The contents of a stream's message and the layout of its records. Records of one size have no
// header at their destination, else their destination (4 bytes). Records of different sizes have
// their length (4 bytes) too.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace upwash::streaming {

/// A stream of a job: its team and number.
struct stream_name {
  std::uint64_t team = 0;
  std::uint64_t number = 0;
  friend auto operator<=>(const stream_name&, const stream_name&) = default;
};

/// The content of a message: a single record, records for its receiver, or records with their
/// destinations, on a grid of that many dimensions. A forwarding member uses the message's grid,
/// whatever its own is: on two grids in turn records might circulate forever.
enum class content : std::uint32_t { alone, arrived };

[[nodiscard]] constexpr content on_grid(int dimensions) noexcept {
  return static_cast<content>(static_cast<int>(content::arrived) + dimensions);
}
[[nodiscard]] constexpr int dimensions_of(content kind) noexcept {
  return static_cast<int>(kind) - static_cast<int>(content::arrived);
}
[[nodiscard]] constexpr bool is_routed(content kind) noexcept { return kind > content::arrived; }

/// The part that all records of a message have in common, which travels once, with its arguments.
/// Zeros if a stream has none.
using common_part = std::array<std::byte, 24>;

/// The bytes of a destination or of a length.
inline constexpr std::size_t word_bytes = sizeof(std::uint32_t);

/// The largest number of bytes before a record.
inline constexpr std::size_t most_header_bytes = 2 * word_bytes;

/// Returns the bytes before each record. `record_bytes` 0: sizes differ.
[[nodiscard]] constexpr std::size_t header_bytes(content kind, std::size_t record_bytes) noexcept {
  return (is_routed(kind) ? word_bytes : 0) +
         (record_bytes == 0 && kind != content::alone ? word_bytes : 0);
}

[[nodiscard]] inline std::uint32_t word_at(const std::byte* at) noexcept {
  std::uint32_t value = 0;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// Writes a word and returns the location after it.
inline std::byte* put_word(std::byte* at, std::size_t value) noexcept {
  const auto small = static_cast<std::uint32_t>(value);
  std::memcpy(at, &small, sizeof small);
  return at + sizeof small;
}

/// Takes the first record from the bytes of a message. `destination`: of routed records.
struct record {
  int destination = -1;
  std::span<const std::byte> bytes;
};
[[nodiscard]] inline record take_record(std::span<const std::byte>& from, content kind,
                                        std::size_t record_bytes) noexcept {
  record taken;
  if (is_routed(kind)) {
    taken.destination = static_cast<int>(word_at(from.data()));
    from = from.subspan(word_bytes);
  }
  std::size_t length = kind == content::alone ? from.size() : record_bytes;
  if (length == 0 && kind != content::alone) {
    length = word_at(from.data());
    from = from.subspan(word_bytes);
  }
  taken.bytes = from.first(length);
  from = from.subspan(length);
  return taken;
}

}  // namespace upwash::streaming
