// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/md/space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "upwash/base/error.hpp"

namespace md {
namespace {

constexpr int most_cells = 1000;  // a side: their number is an int, their coordinate 16 bits

std::int16_t narrow(int value) noexcept { return static_cast<std::int16_t>(value); }
int wrapped(int at, int count) noexcept { return (at % count + count) % count; }
/// How many boxes away what was wrapped is.
int images(int at, int count) noexcept { return (at - wrapped(at, count)) / count; }

}  // namespace

triple offset_of(int slot, int reach) noexcept {
  const int width = 2 * reach + 1;
  return {slot / width / width - reach, slot / width % width - reach, slot % width - reach};
}

upwash::extents<3> space::cell_extents() const noexcept {
  const auto many = [](int of) { return static_cast<std::uint64_t>(of); };
  return {many(cells[0]), many(cells[1]), many(cells[2])};
}
upwash::extents<4> space::compute_extents() const noexcept {
  const upwash::extents<3> of = cell_extents();
  return {of[0], of[1], of[2], static_cast<std::uint64_t>(computes_a_cell(reach))};
}

int space::number_of(const cell_index& cell) const noexcept {
  return (cell[0] * cells[1] + cell[1]) * cells[2] + cell[2];
}

cell_index space::cell_numbered(int number) const noexcept {
  return {narrow(number / cells[2] / cells[1]), narrow(number / cells[2] % cells[1]),
          narrow(number % cells[2])};
}

cell_index space::neighbor_of(const cell_index& cell, const triple& offset) const noexcept {
  cell_index other{};
  for (std::size_t i = 0; i < 3; ++i) other[i] = narrow(wrapped(cell[i] + offset[i], cells[i]));
  return other;
}

cell_index space::second_of(const compute_index& pair) const noexcept {
  return neighbor_of(first_of(pair), offset_of(slot_of(pair, reach), reach));
}

std::vector<compute_index> space::computes_of(const cell_index& cell) const {
  std::vector<compute_index> all;
  for (int way = 0; way < computes_a_cell(reach); ++way) {
    const compute_index own{cell[0], cell[1], cell[2], narrow(way)};
    all.push_back(own);
    const triple back = offset_of(opposite(slot_of(own, reach), reach), reach);
    const cell_index before = neighbor_of(cell, back);
    if (before != cell) all.push_back({before[0], before[1], before[2], narrow(way)});
  }
  return all;
}

space space::cut(const vec& box, double cutoff, double margin, int reach) {
  const double least = (cutoff + margin) / reach;
  space made{box, {}, reach, cutoff, 0};
  const std::array<double, 3> sides{box.x, box.y, box.z};
  for (std::size_t i = 0; i < 3; ++i) {
    const double fit = std::floor(sides[i] / least * (1 + 1e-12));
    if (fit > most_cells) {
      throw upwash::error(
          upwash::error_kind::configuration,
          fmt::format("a box of {:.6g} has {:.0f} cells of {:.6g} side by side; at most {}",
                      sides[i], fit, least, most_cells));
    }
    made.cells[i] = std::max(1, static_cast<int>(fit));
  }
  const vec side = made.side();
  const double shortest = std::min({side.x, side.y, side.z});
  made.margin = std::min(shortest * reach - cutoff, shortest);  // nobody passes a cell by
  if (made.margin > 0) return made;
  throw upwash::error(upwash::error_kind::configuration,
                      fmt::format("a box of {:.6g} x {:.6g} x {:.6g} is smaller than the cutoff, "
                                  "{:.6g}, with its margin; give a smaller cutoff or more --k-away",
                                  box.x, box.y, box.z, cutoff));
}

vec space::side() const noexcept { return {box.x / cells[0], box.y / cells[1], box.z / cells[2]}; }

vec space::shift(const compute_index& pair) const noexcept {
  const triple offset = offset_of(slot_of(pair, reach), reach);
  return {box.x * images(pair[0] + offset[0], cells[0]),
          box.y * images(pair[1] + offset[1], cells[1]),
          box.z * images(pair[2] + offset[2], cells[2])};
}

vec space::corner(const cell_index& cell) const noexcept {
  const vec one = side();
  return {one.x * cell[0], one.y * cell[1], one.z * cell[2]};
}

cell_index space::cell_at(const vec& point) const noexcept {
  const vec one = side();
  const auto place = [](double at, double width, int count) {
    return narrow(std::clamp(static_cast<int>(std::floor(at / width)), 0, count - 1));
  };
  return {place(point.x, one.x, cells[0]), place(point.y, one.y, cells[1]),
          place(point.z, one.z, cells[2])};
}

}  // namespace md
