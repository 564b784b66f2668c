// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Worlds in which peers on the same node are served by another conduit than the others.
#pragma once

#include <cstdint>
#include <memory>

#include "upwash/conduit/world.hpp"

namespace upwash::test {

/// What is inside the nodes; between them is loopback.
enum class inside : std::uint8_t {
  weak,    ///< loopback as it is
  direct,  ///< loopback in which ranks load and store each other's segments, larger messages
  shm,     ///< shared memory; a node is one process
};

/// `node_ranks` on each node, fewer on the last one.
[[nodiscard]] std::unique_ptr<conduit::world> composite_of(inside kind, int ranks, int node_ranks,
                                                           std::uint64_t seed);

}  // namespace upwash::test
