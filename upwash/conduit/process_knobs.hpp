// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The knobs of all conduits whose ranks run in processes of real machines.
#pragma once

#include <span>
#include <vector>

#include "upwash/base/knobs.hpp"
#include "upwash/conduit/bootstrap.hpp"

namespace upwash::conduit {

[[nodiscard]] std::span<const knob> process_knobs() noexcept;

/// Returns the processors for progress threads, from the knob progress_cores. Empty: the processors
/// of their ranks. Throws `error` (configuration) for a text that is no list of processors of this
/// machine.
[[nodiscard]] std::vector<int> progress_processors(const settings& values);

/// Returns the node of each process: as the bootstrap says, or pretended by the knob fake_nodes.
/// Consecutive processes then share a node, as evenly as possible. Throws `error` (configuration)
/// for more pretended nodes than processes, and for a pretended node with processes of several
/// nodes.
[[nodiscard]] std::vector<int> nodes_of(const bootstrap& boot, const settings& values);

}  // namespace upwash::conduit
