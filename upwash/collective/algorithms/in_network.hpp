// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: barrier, broadcast, reduce or all-reduce. Idea: one step, which the switches carry out
// on a spanning tree. Cost: one pass of the tree, O(log P) switches, no processor between.
// Restrictions: a network with collectives; it combines in any order. Source: Kumar 2005, section
// 8.1.
#pragma once

#include <cstdint>

#include "upwash/schedule/generator.hpp"

namespace upwash::collective {

/// `kind`: one of the steps in the network. `root`: `schedule::own` for results at all ranks.
[[nodiscard]] schedule::generator in_network(schedule::step_kind kind, std::uint64_t bytes,
                                             int root, bool in_place);

}  // namespace upwash::collective
