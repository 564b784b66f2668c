// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The world of a process that reaches those of its node by one conduit and all others by another.
#pragma once

#include <memory>

#include "upwash/base/knobs.hpp"
#include "upwash/conduit/bootstrap.hpp"
#include "upwash/conduit/conduit_row.hpp"
#include "upwash/conduit/world.hpp"

namespace upwash::conduit {

/// `inside`: makes worlds of the processes of a node, as a job of their own; `between`: of all.
/// Both make process_worlds. Nodes are those of the bootstrap, or pretended (knob fake_nodes).
/// Collective over the processes. Throws `error`. Memory: a location for each rank.
[[nodiscard]] std::unique_ptr<world> make_process_composite(world_maker inside, world_maker between,
                                                            const settings& values,
                                                            bootstrap& boot);

}  // namespace upwash::conduit
