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

/// Where progress threads run, by the knob progress_cores; empty: where their ranks may. Throws
/// `error` (configuration) for what is no list of processors of this machine.
[[nodiscard]] std::vector<int> progress_processors(const settings& values);

/// The node of each process, as the bootstrap says, or pretended where the knob fake_nodes says so:
/// then consecutive processes share a node, as evenly as can be. Throws `error` (configuration) for
/// more pretended nodes than processes, and for one that would hold processes of several.
[[nodiscard]] std::vector<int> nodes_of(const bootstrap& boot, const settings& values);

}  // namespace upwash::conduit
