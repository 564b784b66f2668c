// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a message of a stream is, and how records lie in it. Records of one size have nothing before
// them where they have arrived, and where they are to go (4 bytes) where not; records of different
// sizes have their length (4 bytes) too.
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

/// What a message holds: one record and nothing else, records for its receiver, or records that say
/// where they are to go, on the grid of so many dimensions. Whoever sends them on uses the same
/// grid, whatever its own is: on two grids in turn they might go round for ever.
enum class content : std::uint32_t { alone, arrived };

[[nodiscard]] constexpr content on_grid(int dimensions) noexcept {
  return static_cast<content>(static_cast<int>(content::arrived) + dimensions);
}
[[nodiscard]] constexpr int dimensions_of(content kind) noexcept {
  return static_cast<int>(kind) - static_cast<int>(content::arrived);
}
[[nodiscard]] constexpr bool is_routed(content kind) noexcept { return kind > content::arrived; }

/// What all records of a message have in common, and travels once: with its arguments. Zeros where
/// a stream has nothing of the kind.
using common_part = std::array<std::byte, 24>;

/// Of a destination, or of a length.
inline constexpr std::size_t word_bytes = sizeof(std::uint32_t);

/// Most bytes before a record.
inline constexpr std::size_t most_header_bytes = 2 * word_bytes;

/// Bytes before each record. `record_bytes` 0: sizes differ.
[[nodiscard]] constexpr std::size_t header_bytes(content kind, std::size_t record_bytes) noexcept {
  return (is_routed(kind) ? word_bytes : 0) +
         (record_bytes == 0 && kind != content::alone ? word_bytes : 0);
}

[[nodiscard]] inline std::uint32_t word_at(const std::byte* at) noexcept {
  std::uint32_t value = 0;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// Returns what lies behind the word.
inline std::byte* put_word(std::byte* at, std::size_t value) noexcept {
  const auto small = static_cast<std::uint32_t>(value);
  std::memcpy(at, &small, sizeof small);
  return at + sizeof small;
}

/// Takes the first record from the bytes of a message; `destination` of routed ones.
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
