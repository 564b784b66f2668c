// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which buffer takes the items for whom: one for each next hop and kind of content. A message says
// what it holds, so each member chooses for itself, and may choose otherwise at any time.
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

/// Dimensions of a stream that nobody says anything about: few enough that little is sent again,
/// and, where four are enough, so many that its buffers keep within `memory` bytes a member.
[[nodiscard]] int usual_dimensions(int members, std::size_t buffer_bytes, std::size_t memory);

/// Memory: 4 bytes a member for each grid that is used, also for what others send on their way, and
/// some 100 for each way that was ever used.
class ways {
 public:
  /// Throws `error` (argument) for dimensions that no grid has.
  ways(const team& among, int dimensions, buffers& into);

  [[nodiscard]] std::uint32_t to(int destination) const noexcept { return table_[destination]; }
  [[nodiscard]] bool knows(int destination) const noexcept {
    return static_cast<unsigned>(destination) < members_;
  }
  /// For a record that came on a grid's way.
  [[nodiscard]] std::uint32_t onward(content came, int destination);
  /// The buffer of this member's own items.
  [[nodiscard]] std::uint32_t own() const noexcept { return to(among_.rank()); }
  [[nodiscard]] int dimensions() const noexcept { return dimensions_; }

  /// Through a grid of so many dimensions from now on, also those that went directly. What waits
  /// on other ways stays there until its buffer is sent. O(members).
  void change_grid(int dimensions);
  /// One destination without stops, or through the grid again.
  void go_directly(int destination, bool directly);
  /// One destination by way of a member on its node; -1: directly.
  void go_through(int destination, int receiver);

 private:
  [[nodiscard]] std::uint32_t buffer_for(int hop, content kind);
  [[nodiscard]] std::uint32_t by_grid(const model::grid& grid, int destination);
  /// Of a grid of so many dimensions; made when it is asked for.
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
