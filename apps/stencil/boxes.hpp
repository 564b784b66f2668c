// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The same steps by objects: each is a box, several are on a rank, and one goes on when it has its
// neighbours' cells. Source: Kumar 2005, chapter 5 (processor virtualisation); Narayanan 2020,
// chapter 3 (sides that ride together).
#pragma once

#include <cstdint>
#include <string_view>

#include "apps/stencil/run.hpp"
#include "upwash/core/job.hpp"

namespace stencil {

/// Times and mark of a turn of `what.steps` steps by `what.objects` boxes a rank.
struct turn_of_boxes {
  upwash::duration all;
  std::uint64_t mark = 0;
  std::uint64_t messages = 0;  ///< of all ranks
};

/// Boxes at first steps; those of a rank are neighbours, or with `what.by_hash` anywhere. With
/// `what.wander` each moves to a random rank after so many of its steps. `by`: one of the exchanges
/// of objects. Collective, blocking. Throws `error` (configuration) where a box would have no
/// cells.
[[nodiscard]] turn_of_boxes run_boxes(upwash::job& here, const task& what, std::string_view by);

}  // namespace stencil
