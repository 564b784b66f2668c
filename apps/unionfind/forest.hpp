// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Trees of vertices whose parents are smaller than they are: a root is the smallest vertex of its
// component.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace unionfind {

/// Two vertices that are to be in one component.
struct link {
  std::uint32_t larger = 0;
  std::uint32_t smaller = 0;
  friend bool operator==(const link&, const link&) = default;
};
[[nodiscard]] constexpr link link_of(std::uint32_t a, std::uint32_t b) noexcept {
  return a > b ? link{a, b} : link{b, a};
}

/// One step of Rem's algorithm (Dijkstra 1976, with splicing): `parent` is that of the larger
/// vertex, and becomes the smaller of both. What is left to be linked, if anything.
[[nodiscard]] std::optional<link> step(std::uint32_t& parent, link what) noexcept;

/// All steps, on all vertices in one memory.
void unite(std::span<std::uint32_t> parents, link what) noexcept;

/// The root of every vertex. O(vertices).
[[nodiscard]] std::vector<std::uint32_t> roots_of(std::span<const std::uint32_t> parents);

}  // namespace unionfind
