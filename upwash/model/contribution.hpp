// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The origin of the data in an element of a collective's result.
#pragma once

#include <compare>
#include <cstdint>

namespace upwash {

/// One contribution: element `element` of `rank`'s input.
struct contribution {
  int rank = 0;
  std::uint32_t element = 0;
  friend auto operator<=>(const contribution&, const contribution&) = default;
};

}  // namespace upwash
