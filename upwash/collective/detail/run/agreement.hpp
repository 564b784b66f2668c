// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What checked runs send along a tree, so that members that call different collectives hear it by
// name instead of hanging.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace upwash::collective::detail {

/// Plain data, sent as it is.
struct agreement {
  std::uint64_t team = 0;
  std::uint64_t run = 0;
  std::uint64_t bytes = 0;
  std::uint64_t kind_of_reduction = 0;
  int member = 0;
  int world_rank = 0;
  int root = 0;
  std::uint32_t entry_and_exit = 0;
  std::uint32_t waits = 0;  ///< signature::waits
  std::array<char, 32> operation{};
  std::array<char, 64> algorithm{};
  std::array<char, 96> site{};  ///< where it is called from

  [[nodiscard]] bool matches(const agreement& other) const noexcept;
  /// "member 3 (rank 5) calls broadcast by knomial of 800 bytes, root 0, at main.cpp:12".
  [[nodiscard]] std::string text() const;
};

/// Cuts the text to the room.
template <std::size_t Room>
void set_text(std::array<char, Room>& room, std::string_view text) noexcept {
  const std::size_t size = text.size() < Room ? text.size() : Room - 1;
  for (std::size_t i = 0; i < size; ++i) room[i] = text[i];
}

}  // namespace upwash::collective::detail
