// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which buffer takes the items for whom: one for each next hop and kind of content. A message says
// what it holds, so each member chooses for itself, and may choose otherwise at any time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "upwash/core/team.hpp"
#include "upwash/model/grid.hpp"
#include "upwash/streaming/detail/buffers.hpp"

namespace upwash::streaming {

/// Memory: 4 bytes a member, and some 100 for each way that was ever used.
class ways {
 public:
  /// Throws `error` (argument) for dimensions that no grid has; 0: by the size of the team.
  ways(const team& among, int dimensions, buffers& into);

  [[nodiscard]] std::uint32_t to(int destination) const noexcept {
    return table_[static_cast<std::size_t>(destination)];
  }
  [[nodiscard]] bool knows(int destination) const noexcept {
    return static_cast<unsigned>(destination) < table_.size();
  }
  /// The buffer of this member's own items.
  [[nodiscard]] std::uint32_t own() const noexcept { return to(among_.rank()); }
  [[nodiscard]] int dimensions() const noexcept { return grid_.dimensions(); }

  /// Through a grid of so many dimensions from now on, also those that went directly. What waits
  /// on other ways stays there until its buffer is sent. O(members).
  void change_grid(int dimensions);
  /// One destination without stops, or through the grid again.
  void go_directly(int destination, bool directly);

 private:
  [[nodiscard]] std::uint32_t buffer_for(int hop, content kind);
  [[nodiscard]] std::uint32_t by_grid(int destination);

  team among_;
  buffers& buffers_;
  model::grid grid_;
  std::vector<std::uint32_t> table_;
  std::map<std::pair<int, content>, std::uint32_t> known_;  ///< by next hop, a member
};

}  // namespace upwash::streaming
