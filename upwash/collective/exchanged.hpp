// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

namespace upwash {

/// The received items: those of member 0, then those of member 1, and so on, and the number from
/// each member.
template <class T>
struct exchanged {
  std::vector<T> data;
  std::vector<std::size_t> counts;

  [[nodiscard]] std::size_t total() const {
    return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  }
};

}  // namespace upwash
