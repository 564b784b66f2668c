// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The history of an abstract run: the steps of all ranks, and the order of their completion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "upwash/schedule/step.hpp"

namespace upwash::schedule::detail {

/// A step of a rank, by the order of emission.
struct step_name {
  int rank = 0;
  std::size_t number = 0;
};

struct performed {
  step_name is;
  /// receive: its send. Steps in the network: the contributions of all ranks, or the root's.
  std::vector<step_name> partners{};
};

struct history {
  std::vector<std::vector<step>> steps;  ///< by rank, as emitted
  std::vector<performed> order;

  [[nodiscard]] const step& at(const step_name& of) const {
    return steps[static_cast<std::size_t>(of.rank)][of.number];
  }
};

/// Calls `visit` with the number of each dependency of step `number`. If the step waits for all,
/// these are the steps since the last one that did. Stages that grow the scratch also wait for all,
/// but growth depends on the run: no step may rely on it.
template <class Visit>
void for_each_dependency(const std::vector<step>& steps, std::size_t number, const Visit& visit) {
  const step& s = steps[number];
  if (s.after_all) {
    for (std::size_t earlier = number; earlier-- > 0;) {
      visit(earlier);
      if (steps[earlier].after_all) return;
    }
    return;
  }
  for (const std::uint32_t distance : s.after) {
    if (distance != 0) visit(number - distance);
  }
}

}  // namespace upwash::schedule::detail
