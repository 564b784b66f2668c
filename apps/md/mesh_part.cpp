// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/md/mesh_part.hpp"

#include <algorithm>
#include <utility>

#include "apps/md/rank_part.hpp"
#include "upwash/collective/all_to_all.hpp"
#include "upwash/objects/strategies.hpp"

namespace md {
namespace {

int members_for(const settings& chosen, int ranks) {
  return std::min(ranks, chosen.what.on.points[0]);
}

upwash::extents<1> as_extents(int count) { return {static_cast<std::uint64_t>(count)}; }

/// In blocks on the first ranks, as the slabs behind them. A map keeps two bounds: of slabs, and of
/// the ranks that have any.
int home_of_gate(const std::int32_t& index, int /*members*/,
                 const upwash::index_map<std::int32_t>::bounds& of) {
  return upwash::in_blocks<std::int32_t>({of[0]})(index, static_cast<int>(of[1]));
}

upwash::index_map<std::int32_t> gates_at(const settings& chosen, int ranks) {
  return {&home_of_gate,
          {static_cast<std::uint64_t>(chosen.what.on.points[0]),
           static_cast<std::uint64_t>(members_for(chosen, ranks)), 1, 1}};
}

}  // namespace

mesh_part::mesh_part(upwash::job& here, const settings& chosen, upwash::object_array<cell>& cells)
    : here_(here),
      chosen_(chosen),
      cells_(cells),
      among_(
          here.world().split(here.rank() < members_for(chosen, here.size()) ? 0 : -1, here.rank())),
      gates_(here.world(), {.name = "gates"}, gates_at(chosen, here.size())) {
  gates_.fill(upwash::all_indices<std::int32_t>(as_extents(what().on.points[0])));
  if (among_) make_slabs();
}

void mesh_part::make_slabs() {
  const int slabs = what().on.points[0];
  transforms_.emplace(what().on);
  slabs_.emplace(among_, upwash::object_options{.name = "slabs"},
                 upwash::in_blocks<std::int32_t>(as_extents(slabs)));
  slabs_->fill(upwash::all_indices<std::int32_t>(as_extents(slabs)));
  slabs_->stay();
  for (int i = 0; i < slabs; ++i) {
    if (member_of(i) != among_.rank()) continue;
    if (count_++ == 0) first_ = i;
  }
  most_ = (slabs + among_.size() - 1) / among_.size();
  slabs_->for_each_here([&](slab& one) { one.begin(*this); });
  if (blocking()) {
    exchanging_ = among_.duplicate();
    const auto pairs = static_cast<std::size_t>(most_) * static_cast<std::size_t>(most_);
    const std::size_t waves = pairs * static_cast<std::size_t>(among_.size()) *
                              static_cast<std::size_t>(what().on.waves());
    const int with_columns = std::clamp(what().on.points[1] - first_, 0, count_);
    rows_ = {std::vector<complex>(waves), std::vector<complex>(waves), count_};
    columns_ = {std::vector<complex>(waves), std::vector<complex>(waves), with_columns};
  } else if (chosen_.transpose != "direct") {
    by_ = slabs_->bind(upwash::each_to_many(chosen_.transpose));
  }
}

void mesh_part::quiet() {
  gates_.quiet();
  if (slabs_) slabs_->quiet();
}

void mesh_part::charge(double operations) {
  here_.compute(upwash::duration::from_us(operations / chosen_.mflops));
}

void mesh_part::charge_points(std::size_t particles) {
  constexpr std::size_t points = spline_order * spline_order * spline_order;
  here_.compute(chosen_.point_time * static_cast<std::int64_t>(particles * points));
}

upwash::duration mesh_part::take_busy_time() { return std::exchange(busy_, {}); }

void mesh_part::begin_bracket(const slab& of) {
  if (by_) upwash::object_view<slab>(of).with(*by_).begin();
}
void mesh_part::end_bracket(const slab& of) {
  if (by_) upwash::object_view<slab>(of).with(*by_).end();
}

void mesh_part::send_potentials(const cell_index& to, std::int32_t x,
                                std::vector<double>&& values) {
  cells_[to].send_first<&cell::take_potentials>(urgent, std::move(values), x);
}

int mesh_part::member_of(int slab_number) const {
  return upwash::in_blocks<std::int32_t>(as_extents(what().on.points[0]))(slab_number,
                                                                          among_.size());
}

int mesh_part::place_of(int slab_number) const {
  const int slabs = what().on.points[0];
  const int least = slabs / among_.size();
  const int more = slabs % among_.size();
  const int behind = slab_number - more * (least + 1);
  return behind < 0 ? slab_number % (least + 1) : behind % least;
}

std::span<complex> mesh_part::waves_at(std::vector<complex>& in, int member, int from,
                                       int to) const {
  const auto waves = static_cast<std::size_t>(what().on.waves());
  const int place = (member * most_ + from) * most_ + to;
  return std::span(in).subspan(static_cast<std::size_t>(place) * waves, waves);
}

void mesh_part::put_row(int x, int y, std::span<const complex> waves) {
  std::ranges::copy(waves, waves_at(rows_.out, member_of(y), x - first_, place_of(y)).begin());
}
void mesh_part::put_column(int x, int y, std::span<const complex> waves) {
  std::ranges::copy(waves, waves_at(columns_.out, member_of(x), y - first_, place_of(x)).begin());
}

bool mesh_part::is_last_row() {
  if (--rows_.missing > 0) return false;
  rows_.missing = count_;
  return true;
}
bool mesh_part::is_last_column() {
  if (--columns_.missing > 0) return false;
  columns_.missing = std::clamp(what().on.points[1] - first_, 0, count_);
  return true;
}

void mesh_part::exchange(exchanged& what) {
  rank_part& rank = here_.service<rank_part>();
  rank.hold_computes();
  upwash::all_to_all<complex>(exchanging_, what.out, std::span(what.in)).wait();
  rank.release_computes();
}

}  // namespace md
