// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A world whose processes are pretended: endpoints over packets (conduit/wire), joined by a
// pretended network, their ranks fibers that take turns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tests/conduit/wire/pretended_network.hpp"
#include "upwash/conduit/rank_layout.hpp"
#include "upwash/conduit/world.hpp"

namespace upwash::test {

struct pretended_options {
  conduit::rank_layout ranks = conduit::rank_layout::even(1, 1);
  int node_processes = 1;    ///< processes on each pretended node
  std::uint32_t window = 0;  ///< as the knob wire_window
  network_options network;   ///< but for `processes`, which `ranks` says
  std::size_t stack_bytes = std::size_t{256} << 10U;
};

[[nodiscard]] std::unique_ptr<conduit::world> make_pretended_world(pretended_options options);

/// Of a world made above.
[[nodiscard]] pretended_network& network_of(conduit::world& pretended);

}  // namespace upwash::test
