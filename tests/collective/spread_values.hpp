// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Values of an algorithm's parameters for tests over all rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "upwash/collective/registry.hpp"

namespace upwash::test {

/// The initial ones, and for each of `of` all parameters near it, as far as their ranges go.
inline std::vector<model::values> spread_values(const collective::algorithm& one,
                                                std::initializer_list<std::uint64_t> of) {
  std::vector<model::values> all{model::initial_values(one.is)};
  for (const std::uint64_t value : of) {
    model::values with{};
    for (std::size_t i = 0; i < one.is.parameters.size(); ++i) {
      const model::parameter& range = one.is.parameters[i];
      with[i] = std::clamp<std::uint64_t>(value + i, range.least, range.most);
    }
    all.push_back(with);
  }
  return all;
}

}  // namespace upwash::test
