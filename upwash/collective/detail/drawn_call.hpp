// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls whose lengths are known in a run only, drawn at random: what an algorithm for them is
// proven with.
#pragma once

#include <cstdint>
#include <vector>

#include "upwash/collective/problem.hpp"
#include "upwash/schedule/validate.hpp"

namespace upwash::collective::detail {

/// Whether there are calls of that collective to draw: it is one of upwash's own whose lengths the
/// caller tells.
[[nodiscard]] bool can_draw(kind of) noexcept;

/// Whether such a collective has calls in place.
[[nodiscard]] bool can_be_in_place(kind of) noexcept;

/// What all ranks give, and what each must have in the end.
struct drawn_call {
  schedule::expectation of;
  std::vector<std::vector<schedule::abstract_value>> wanted;  ///< of each rank's output

  [[nodiscard]] schedule::abstract_value at(int rank, std::uint64_t element) const {
    const auto& mine = wanted[static_cast<std::size_t>(rank)];
    return element < mine.size() ? mine[element] : schedule::abstract_value();
  }
};

/// Lengths are up to about twice `call.bytes`, many of them 0; blocks lie one behind the other for
/// even seeds, else behind gaps and in another order. Many-to-many: also messages to oneself, and
/// several for one. The same call and seed are the same draw. Memory: all elements of all ranks.
[[nodiscard]] drawn_call draw(const problem& call, std::uint64_t seed);

}  // namespace upwash::collective::detail
