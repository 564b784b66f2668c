// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Trees over the members of a team with member 0 at the root, for broadcasts and reductions.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace upwash {

/// Binomial: the root has log2 P children, the farthest first. Binary: each has two.
enum class tree_of_members : std::uint8_t { binomial, binary };

namespace objects {

[[nodiscard]] inline std::vector<int> children_of(tree_of_members shape, int member, int members) {
  std::vector<int> all;
  const auto size = static_cast<unsigned>(members);
  const auto me = static_cast<unsigned>(member);
  if (shape == tree_of_members::binary) {
    for (const unsigned child : {2 * me + 1, 2 * me + 2}) {
      if (child < size) all.push_back(static_cast<int>(child));
    }
    return all;
  }
  // The subtree of a member has the members up to its next sibling.
  for (unsigned distance = (me == 0 ? std::bit_ceil(size) : me & -me) / 2; distance > 0;
       distance /= 2) {
    if (me + distance < size) all.push_back(static_cast<int>(me + distance));
  }
  return all;
}

}  // namespace objects
}  // namespace upwash
