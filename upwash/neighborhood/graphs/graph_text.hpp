// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Graphs by name, as tools and benches take them: NAME[:key=value,...].
#pragma once

#include <span>
#include <string_view>

#include "upwash/model/choice.hpp"
#include "upwash/neighborhood/graphs/process_graph.hpp"

namespace upwash {

/// What there is, with parameters.
[[nodiscard]] std::span<const model::choice> known_graphs() noexcept;

/// The graph of that name over so many ranks: moore:d=2,r=4, random:permille=50, ... Throws `error`
/// (argument) for an unknown name or value, with what is valid.
[[nodiscard]] process_graph graph_of(std::string_view text, int ranks);

/// Every rank within distance r of a rank in each dimension, but for itself; a rank that several
/// ways lead to is as many neighbours.
[[nodiscard]] process_graph moore_graph(const grid& on, int radius);
/// A rank sends to each other rank with this probability.
[[nodiscard]] process_graph random_graph(int ranks, double density, std::uint64_t seed);

}  // namespace upwash
