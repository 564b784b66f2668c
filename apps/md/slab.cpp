// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/md/slab.hpp"

#include <algorithm>
#include <span>

#include "apps/md/mesh_part.hpp"
#include "apps/md/rank_part.hpp"

namespace md {
namespace {

mesh_part& part_of(upwash::job& here) { return *here.service<rank_part>().on().charges; }

std::span<complex> row_of(std::vector<complex>& plane, int row, const mesh_part& part) {
  const auto waves = static_cast<std::size_t>(part.what().on.waves());
  return std::span(plane).subspan(static_cast<std::size_t>(row) * waves, waves);
}

std::vector<complex> copy_of(std::span<const complex> waves) {
  return {waves.begin(), waves.end()};
}

}  // namespace

void gate::take(std::int32_t cell_number, const std::vector<double>& charges) {
  part_of(here()).slabs()[index()].send_first<&slab::take_charges>(mesh_part::urgent, cell_number,
                                                                   charges);
}

void slab::begin(const mesh_part& part) {
  const task& what = part.what();
  for (const cell_index& each : upwash::all_indices<cell_index>(what.in.cell_extents())) {
    if (region_of(what.on, what.in, each).plane_at(index(), what.on) < 0) continue;
    cells_.push_back(what.in.number_of(each));
  }
  charges_.resize(cells_.size());
  missing_ = static_cast<std::int32_t>(cells_.size());
  grid_.resize(what.on.plane_points());
  of_x_.resize(part.transforms().waves_of_x_plane());
  if (index() < what.on.points[1]) of_y_.resize(part.transforms().waves_of_y_plane());
}

void slab::take_charges(std::int32_t cell_number, const std::vector<double>& charges) {
  const auto place = std::ranges::lower_bound(cells_, cell_number) - cells_.begin();
  charges_[static_cast<std::size_t>(place)] = charges;
  if (--missing_ > 0) return;
  mesh_part& part = part_of(here());
  const auto busy = part.busy();
  missing_ = static_cast<std::int32_t>(cells_.size());
  std::ranges::fill(grid_, 0);
  std::size_t values = 0;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    add_plane(part.what().on, part.region_of_cell(cells_[i]), charges_[i], grid_);
    values += charges_[i].size();
  }
  part.transforms().forward(grid_, of_x_);
  part.charge(part.transforms().operations_of_x_plane() + static_cast<double>(values));
  send_rows(part);
}

void slab::send_rows(mesh_part& part) {
  const int planes = part.what().on.points[1];
  if (part.blocking()) {
    for (int y = 0; y < planes; ++y) part.put_row(index(), y, row_of(of_x_, y, part));
    if (part.is_last_row()) {
      part.slabs()[index()].send_first<&slab::exchange_rows>(mesh_part::urgent);
    }
    return;
  }
  part.begin_bracket(*this);
  for (int y = 0; y < planes; ++y) {
    part.send<&slab::take_row>(*this, y, copy_of(row_of(of_x_, y, part)));
  }
  part.end_bracket(*this);
  if (index() < planes) return;
  part.begin_bracket(*this);  // it has no columns to send: those of others do not wait for it
  part.end_bracket(*this);
}

void slab::take_row(std::int32_t x, const std::vector<complex>& waves) {
  mesh_part& part = part_of(here());
  std::ranges::copy(waves, row_of(of_y_, x, part).begin());
  if (++rows_ < part.what().on.points[0]) return;
  rows_ = 0;
  const auto busy = part.busy();
  part.transforms().solve(index(), of_y_);
  part.charge(part.transforms().operations_of_y_plane());
  send_columns(part);
}

void slab::send_columns(mesh_part& part) {
  const int planes = part.what().on.points[0];
  if (part.blocking()) {
    for (int x = 0; x < planes; ++x) part.put_column(x, index(), row_of(of_y_, x, part));
    if (part.is_last_column()) {
      part.slabs()[index()].send_first<&slab::exchange_columns>(mesh_part::urgent);
    }
    return;
  }
  part.begin_bracket(*this);
  for (int x = 0; x < planes; ++x) {
    part.send<&slab::take_column>(*this, x, copy_of(row_of(of_y_, x, part)));
  }
  part.end_bracket(*this);
}

void slab::take_column(std::int32_t y, const std::vector<complex>& waves) {
  mesh_part& part = part_of(here());
  std::ranges::copy(waves, row_of(of_x_, y, part).begin());
  if (++columns_ < part.what().on.points[1]) return;
  columns_ = 0;
  const auto busy = part.busy();
  part.transforms().backward(of_x_, grid_);
  std::size_t values = 0;
  for (const std::vector<double>& each : charges_) values += each.size();
  part.charge(part.transforms().operations_of_x_plane() + static_cast<double>(values));
  const space& in = part.what().in;
  for (const std::int32_t cell_number : cells_) {
    const region of = part.region_of_cell(cell_number);
    part.send_potentials(in.cell_numbered(cell_number), index(),
                         cut_plane(part.what().on, of, grid_));
  }
}

void slab::exchange_rows() {
  mesh_part& part = part_of(here());
  part.exchange(part.rows());
  part.for_each_row([&](int x, int y, std::span<const complex> waves) {
    part.slabs()[y].send_first<&slab::take_row>(mesh_part::urgent, x, copy_of(waves));
  });
  // Ranks without planes of y enter the next one at once.
  if (part.has_columns()) return;
  part.slabs()[index()].send_first<&slab::exchange_columns>(mesh_part::urgent);
}

void slab::exchange_columns() {
  mesh_part& part = part_of(here());
  part.exchange(part.columns());
  part.for_each_column([&](int x, int y, std::span<const complex> waves) {
    part.slabs()[x].send_first<&slab::take_column>(mesh_part::urgent, y, copy_of(waves));
  });
}

}  // namespace md
