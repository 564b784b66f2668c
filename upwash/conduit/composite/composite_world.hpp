// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A world of one process with a conduit inside each node and another between the nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "upwash/conduit/world.hpp"

namespace upwash::conduit {

struct composite_parts {
  /// A world each for the ranks of a node, node after node. None of them is run.
  std::vector<std::unique_ptr<world>> nodes;
  /// All ranks. Its endpoints host the same ranks as those of the nodes. Not run either: it must
  /// deliver without, as virtual time does not.
  std::unique_ptr<world> between;
  std::uint64_t seed = 0;  ///< of the order in which ranks take turns
  std::size_t stack_bytes = std::size_t{256} << 10U;
};

/// Throws `error` (argument) for parts that do not fit together, and for virtual time. Memory: a
/// location for each rank, and a count for each peer heard where one part alone keeps order.
[[nodiscard]] std::unique_ptr<world> make_composite_world(composite_parts parts);

}  // namespace upwash::conduit
