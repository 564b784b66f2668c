// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The slots of a combining exchange: what the two files that implement it both read.
#pragma once

#include <cstdint>
#include <span>

#include "upwash/collective/algorithms/combining_exchange.hpp"
#include "upwash/collective/algorithms/detail/item.hpp"

namespace upwash::collective {

/// What goes to one target of the phase: seven words that say where, and how much.
template <class Route>
struct combining_exchange<Route>::target_words {
  static constexpr std::uint64_t count = 7;
  /// In front of the items: words of the header, words of the items, bytes.
  static constexpr std::uint64_t head = 3;

  std::uint64_t* at;

  [[nodiscard]] std::uint64_t& header_at() const noexcept { return at[0]; }
  [[nodiscard]] std::uint64_t& words() const noexcept { return at[1]; }
  [[nodiscard]] std::uint64_t& bytes() const noexcept { return at[2]; }
  [[nodiscard]] std::uint64_t& places() const noexcept { return at[3]; }
  [[nodiscard]] std::uint64_t& items() const noexcept { return at[4]; }
  /// The latest item that was added: its number, from 1 on, and where it stands.
  [[nodiscard]] std::uint64_t& latest() const noexcept { return at[5]; }
  [[nodiscard]] std::uint64_t& latest_at() const noexcept { return at[6]; }

  [[nodiscard]] std::uint64_t first_item() const noexcept { return header_at() + head; }
  /// Of the message, or of its first part.
  [[nodiscard]] schedule::slots header(const schedule::tape& on) const {
    return {static_cast<std::uint32_t>(header_at()),
            static_cast<std::uint32_t>(on.slots()[header_at()])};
  }
  /// Packed there; or where it lies, if it is one piece.
  [[nodiscard]] schedule::piece data(std::uint64_t packed_at, const schedule::tape& on) const {
    if (items() == 1) return piece_at(on.slots()[places()], bytes());
    return {schedule::buffer::scratch, packed_at, bytes()};
  }
};

template <class Route>
auto combining_exchange<Route>::target(int number, const schedule::tape& on) const -> target_words {
  return {&on.slots()[targets_ + static_cast<std::uint64_t>(number) * target_words::count]};
}

template <class Route>
std::uint64_t combining_exchange<Route>::bundle_words() const noexcept {
  return 1 + target_words::head + inline_words();
}

template <class Route>
std::uint64_t combining_exchange<Route>::bundle(int sender) const noexcept {
  return bundles_ + static_cast<std::uint64_t>(sender) * bundle_words();
}

template <class Route>
bool combining_exchange<Route>::is_long(std::uint64_t words, std::uint64_t bytes) const noexcept {
  return words > inline_words() || bytes > inline_bytes_;
}

/// A place is an offset in scratch, or one in the input with the highest bit set.
inline constexpr std::uint64_t in_input = std::uint64_t{1} << 63U;

template <class Route>
schedule::piece combining_exchange<Route>::piece_at(std::uint64_t place,
                                                    std::uint64_t bytes) noexcept {
  using schedule::buffer;
  return {(place & in_input) != 0 ? buffer::input : buffer::scratch, place & ~in_input, bytes};
}

}  // namespace upwash::collective
