// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A vector cut into as many blocks as there are members, whatever its length: the first ones may be
// an element longer.
#pragma once

#include <algorithm>
#include <cstdint>

#include "upwash/schedule/step.hpp"

namespace upwash::collective::detail {

struct even_blocks {
  int members = 1;
  std::uint64_t elements = 0;
  std::uint64_t element_bytes = 1;

  [[nodiscard]] constexpr std::uint64_t largest() const noexcept {
    const auto parts = static_cast<std::uint64_t>(members);
    return (elements / parts + (elements % parts != 0 ? 1 : 0)) * element_bytes;
  }
  /// `count` blocks from number `first` on.
  [[nodiscard]] constexpr schedule::piece at(schedule::buffer of, int first,
                                             int count = 1) const noexcept {
    return {of, begin_of(first), begin_of(first + std::int64_t{count}) - begin_of(first)};
  }

 private:
  /// Written so that it cannot overflow.
  [[nodiscard]] constexpr std::uint64_t begin_of(std::int64_t block) const noexcept {
    const auto parts = static_cast<std::uint64_t>(members);
    const auto b = static_cast<std::uint64_t>(block);
    return (b * (elements / parts) + std::min(b, elements % parts)) * element_bytes;
  }
};

}  // namespace upwash::collective::detail
