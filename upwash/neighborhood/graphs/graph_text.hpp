// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Graphs by name, for tools and benchmarks: NAME[:key=value,...].
#pragma once

#include <span>
#include <string_view>

#include "upwash/model/choice.hpp"
#include "upwash/neighborhood/graphs/process_graph.hpp"

namespace upwash {

/// Returns the known graphs, with parameters.
[[nodiscard]] std::span<const model::choice> known_graphs() noexcept;

/// Returns the graph of that name over `ranks` ranks: moore:d=2,r=4, random:permille=50, ... Throws
/// `error` (argument) for an unknown name or value, with the valid ones.
[[nodiscard]] process_graph graph_of(std::string_view text, int ranks);

/// Returns the graph in which each rank has all ranks within `radius` in each dimension as
/// neighbors, except itself. A rank reached by several paths is a neighbor several times.
[[nodiscard]] process_graph moore_graph(const grid& on, int radius);
/// Returns a graph in which a rank sends to each other rank with probability `density`.
[[nodiscard]] process_graph random_graph(int ranks, double density, std::uint64_t seed);

}  // namespace upwash
