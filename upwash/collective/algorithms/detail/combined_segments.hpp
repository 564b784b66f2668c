// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A vector of which each member combines a segment of whole elements; the last ones may be empty.
#pragma once

#include <cstdint>

namespace upwash::collective::detail {

/// Of the first ones.
[[nodiscard]] constexpr std::uint64_t combined_segment_bytes(std::uint64_t bytes, int ranks,
                                                             std::uint32_t element_bytes) noexcept {
  const auto all = static_cast<std::uint64_t>(ranks);
  return (bytes / element_bytes + all - 1) / all * element_bytes;
}

/// schedule::needs::busiest of those who combine: one with a whole segment that waits for its first
/// operand. Nobody where segments differ by more than a 32nd of the vector and take longer to
/// combine than to look whether they are there: others then wait for those who have some.
[[nodiscard]] constexpr int busiest_of_segments(std::uint64_t bytes, int ranks,
                                                std::uint32_t element_bytes) noexcept {
  constexpr std::uint64_t line = 64;
  const std::uint64_t each = combined_segment_bytes(bytes, ranks, element_bytes);
  const std::uint64_t absent = each * static_cast<std::uint64_t>(ranks) - bytes;
  if (ranks == 1 || (32 * absent > bytes && each > line)) return -1;
  return bytes < 2 * each ? 0 : 1;
}

}  // namespace upwash::collective::detail
