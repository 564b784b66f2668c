// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/streaming/detail/ways.hpp"

#include <fmt/format.h>

#include "upwash/base/error.hpp"
#include "upwash/core/job.hpp"
#include "upwash/streaming/options.hpp"

namespace upwash {

std::size_t stream_memory(int members, int dimensions, std::size_t buffer_bytes) {
  const auto grid = model::grid::near_cube(members, dimensions);
  std::size_t count = 1;  // its own items
  for (int d = 0; d < grid.dimensions(); ++d) {
    // Arrived there, and going on; nothing goes on behind the last dimension.
    const std::size_t kinds = d + 1 < grid.dimensions() ? 2 : 1;
    count += kinds * static_cast<std::size_t>(grid.size(d) - 1);
  }
  constexpr std::size_t under_way = 2;
  constexpr std::size_t bookkeeping = sizeof(streaming::buffer) + 64;  // a node of a map
  return (count + under_way) * buffer_bytes + count * bookkeeping +
         static_cast<std::size_t>(members) * sizeof(std::uint32_t);
}

namespace streaming {
namespace {

constexpr int most_direct = 64;  ///< members of a team that are all next hops, where nobody says

model::grid grid_for(const team& among, int dimensions) {
  if (dimensions < 1 || dimensions > model::grid::most_dimensions) {
    throw error(error_kind::argument,
                fmt::format("rank {}: a stream of {} dimensions; 1 to {}, or 0 for a choice by "
                            "the size of the team",
                            among.here().rank(), dimensions, model::grid::most_dimensions));
  }
  return model::grid::near_cube(among.size(), dimensions);
}

}  // namespace

int usual_dimensions(int members, std::size_t buffer_bytes, std::size_t memory) {
  int dimensions = members <= most_direct ? 1 : 2;
  while (dimensions < model::grid::most_dimensions &&
         stream_memory(members, dimensions, buffer_bytes) > memory) {
    ++dimensions;
  }
  return dimensions;
}

ways::ways(const team& among, int dimensions, buffers& into)
    : among_(among), buffers_(into), members_(static_cast<unsigned>(among.size())) {
  change_grid(dimensions);
}

void ways::change_grid(int dimensions) {
  dimensions_ = grid_for(among_, dimensions).dimensions();
  of_grids_[static_cast<std::size_t>(dimensions_)].clear();  // some may have gone directly
  table_ = table_of(dimensions_).data();
}

void ways::go_directly(int destination, bool directly) {
  table_of(dimensions_)[static_cast<std::size_t>(destination)] =
      directly ? buffer_for(destination, content::arrived)
               : by_grid(grid_for(among_, dimensions_), destination);
}

void ways::go_through(int destination, int receiver) {
  const bool stops = receiver >= 0 && receiver != destination;
  table_of(dimensions_)[static_cast<std::size_t>(destination)] =
      stops ? buffer_for(receiver, on_grid(1)) : buffer_for(destination, content::arrived);
}

std::uint32_t ways::by_grid(const model::grid& grid, int destination) {
  const int me = among_.rank();
  const int hop = destination == me ? me : grid.next_hop(me, destination);
  return buffer_for(hop, hop == destination ? content::arrived : on_grid(grid.dimensions()));
}

std::uint32_t ways::onward(content came, int destination) {
  return table_of(dimensions_of(came))[static_cast<std::size_t>(destination)];
}

std::vector<std::uint32_t>& ways::table_of(int dimensions) {
  auto& table = of_grids_[static_cast<std::size_t>(dimensions)];
  if (!table.empty()) return table;
  const model::grid grid = grid_for(among_, dimensions);
  for (int to = 0; to < among_.size(); ++to) table.push_back(by_grid(grid, to));
  return table;
}

std::uint32_t ways::buffer_for(int hop, content kind) {
  const auto [at, fresh] = known_.try_emplace({hop, kind}, 0);
  if (fresh) at->second = buffers_.add(among_.world_rank(hop), kind);
  return at->second;
}

}  // namespace streaming
}  // namespace upwash
