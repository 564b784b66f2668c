// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/unionfind/forest.hpp"

#include <algorithm>
#include <utility>

namespace unionfind {

std::optional<link> step(std::uint32_t& parent, link what) noexcept {
  if (what.larger == what.smaller || parent == what.smaller) return std::nullopt;
  const std::uint32_t above = std::exchange(parent, std::min(parent, what.smaller));
  if (above == what.larger) return std::nullopt;  // it was a root
  return link_of(above, what.smaller);
}

void unite(std::span<std::uint32_t> parents, link what) noexcept {
  std::optional<link> left = what;
  while (left) left = step(parents[left->larger], *left);
}

std::vector<std::uint32_t> roots_of(std::span<const std::uint32_t> parents) {
  std::vector<std::uint32_t> roots(parents.begin(), parents.end());
  // A parent is smaller, so its root is known.
  for (std::size_t v = 0; v < roots.size(); ++v) roots[v] = roots[parents[v]];
  return roots;
}

}  // namespace unionfind
