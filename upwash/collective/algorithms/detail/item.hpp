// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a combining exchange tells of a piece of data on its way, in words:
//
//     origin << 32 | destination    bytes                              its own message for each
//     origin << 32 | count          bytes    count destinations        one block for several
//
// The data of a message's items follow each other in the order of the items.
#pragma once

#include <cstdint>

#include "upwash/collective/algorithms/detail/given_messages.hpp"

namespace upwash::collective::detail {

/// An item among the words at `at`. Valid until a word of it changes.
class item {
 public:
  static constexpr std::uint64_t head_words = 2;

  item(const std::uint64_t* at, to_each what) noexcept : at_(at), what_(what) {}

  [[nodiscard]] int origin() const noexcept { return static_cast<int>(at_[0] >> 32U); }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return at_[1]; }
  [[nodiscard]] std::uint32_t destinations() const noexcept {
    return is_single() ? 1 : static_cast<std::uint32_t>(at_[0]);
  }
  [[nodiscard]] int destination(std::uint32_t i) const noexcept {
    return static_cast<int>(is_single() ? static_cast<std::uint32_t>(at_[0]) : at_[head_words + i]);
  }
  [[nodiscard]] std::uint64_t words() const noexcept {
    return head_words + (is_single() ? 0 : destinations());
  }

  /// The first word.
  [[nodiscard]] static std::uint64_t name(int origin, std::uint64_t destination) noexcept {
    return static_cast<std::uint64_t>(origin) << 32U | destination;
  }

 private:
  [[nodiscard]] bool is_single() const noexcept { return what_ == to_each::message_of_its_own; }

  const std::uint64_t* at_;
  to_each what_;
};

}  // namespace upwash::collective::detail
