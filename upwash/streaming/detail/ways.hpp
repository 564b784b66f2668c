// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The assignment of destinations to buffers: one buffer for each next hop and kind of content. A
// message states its content, so each member chooses independently, and may change its choice at
// any time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "upwash/core/team.hpp"
#include "upwash/model/grid.hpp"
#include "upwash/streaming/detail/buffers.hpp"

namespace upwash::streaming {

/// Returns the default dimensions of a stream: few, so that little is sent again. If at most four
/// suffice, enough that the buffers keep within `memory` bytes a member.
[[nodiscard]] int usual_dimensions(int members, std::size_t buffer_bytes, std::size_t memory);

/// The assignment. Memory: 4 bytes a member for each grid in use, including grids of forwarded
/// messages, and about 100 bytes for each way that was ever used.
class ways {
 public:
  /// Throws `error` (argument) for a number of dimensions that no grid has.
  ways(const team& among, int dimensions, buffers& into);

  [[nodiscard]] std::uint32_t to(int destination) const noexcept { return table_[destination]; }
  [[nodiscard]] bool knows(int destination) const noexcept {
    return static_cast<unsigned>(destination) < members_;
  }
  /// Returns the buffer for a record that arrived on a grid's way.
  [[nodiscard]] std::uint32_t onward(content came, int destination);
  /// Returns the buffer of this member's own items.
  [[nodiscard]] std::uint32_t own() const noexcept { return to(among_.rank()); }
  [[nodiscard]] int dimensions() const noexcept { return dimensions_; }

  /// Uses a grid of `dimensions` dimensions from now on, also for direct destinations. Records on
  /// other ways stay there until their buffer is sent. O(members).
  void change_grid(int dimensions);
  /// Sends to one destination without stops, or through the grid again.
  void go_directly(int destination, bool directly);
  /// Sends to one destination through a member on its node; -1: directly.
  void go_through(int destination, int receiver);

 private:
  [[nodiscard]] std::uint32_t buffer_for(int hop, content kind);
  [[nodiscard]] std::uint32_t by_grid(const model::grid& grid, int destination);
  /// Returns the table of a grid with `dimensions` dimensions; made on first use.
  [[nodiscard]] std::vector<std::uint32_t>& table_of(int dimensions);

  team among_;
  buffers& buffers_;
  unsigned members_;
  int dimensions_ = 1;
  const std::uint32_t* table_ = nullptr;  ///< by destination: of this member's grid
  std::array<std::vector<std::uint32_t>, model::grid::most_dimensions + 1> of_grids_;
  std::map<std::pair<int, content>, std::uint32_t> known_;  ///< by next hop, a member
};

}  // namespace upwash::streaming
