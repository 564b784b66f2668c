// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "upwash/collective/algorithms/detail/mesh_exchange.hpp"

namespace upwash::collective::detail {

std::uint32_t mesh_exchange::window() const noexcept {
  constexpr std::uint64_t most_open = 256;
  const auto of_all_phases = 8 + 4 * static_cast<std::uint64_t>(turn_.on().ranks());
  return static_cast<std::uint32_t>(std::min(most_open, of_all_phases));
}

bool mesh_exchange::next_run() {
  const model::grid& grid = turn_.on();
  const bool of_input = turn_.phase() == 0;
  if (walking_) {
    walking_ = of_input ? to_.next(grid) : from_.next(grid);
    return walking_;
  }
  walking_ = true;
  share_ = turn_.to_send();
  if (of_input) {
    to_ = destination_walk(turn_.coordinate_to());
  } else {
    from_ = source_walk(grid, turn_.phase(), turn_.rank());
  }
  return true;
}

bool mesh_exchange::next_arrived() {
  const model::grid& grid = turn_.on();
  if (walking_) {
    walking_ = from_.next(grid);
  } else {
    walking_ = true;
    from_ = source_walk(grid, grid.dimensions(), turn_.rank());
  }
  // The rank's own bundle did not come.
  if (walking_ && from_.bundle() == turn_.own_coordinate()) walking_ = from_.next_bundle(grid);
  return walking_;
}

void mesh_exchange::copy(schedule::step& out, schedule::tape& on) {
  out.kind = schedule::step_kind::copy;
  out.after_all = begins_phase_;
  packed_ = on.emit(out, begins_phase_ ? schedule::never : packed_);
  begins_phase_ = false;
}

}  // namespace upwash::collective::detail
