// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the slabs on a rank share: where they are, and how rows and columns of waves travel between
// planes of x and planes of y.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "apps/md/objects.hpp"
#include "apps/md/run.hpp"
#include "apps/md/slab.hpp"
#include "upwash/base/duration.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/team.hpp"

namespace md {

class mesh_part {
 public:
  /// What goes first on each rank: all others wait for the mesh.
  static constexpr int urgent = -1;

  /// Collective, blocking. Slabs are on the first ranks, one each where there are enough.
  mesh_part(upwash::job& here, const settings& chosen, upwash::object_array<cell>& cells);
  /// Collective; the arrays are quiet.
  ~mesh_part() = default;
  mesh_part(mesh_part&&) = delete;
  void quiet();

  [[nodiscard]] const task& what() const noexcept { return chosen_.what; }
  [[nodiscard]] upwash::object_array<gate>& gates() noexcept { return gates_; }
  /// On ranks that have any.
  [[nodiscard]] upwash::object_array<slab>& slabs() noexcept { return *slabs_; }
  [[nodiscard]] const planes& transforms() const noexcept { return *transforms_; }
  [[nodiscard]] region region_of_cell(std::int32_t cell_number) const {
    return region_of(what().on, what().in, what().in.cell_numbered(cell_number));
  }

  /// Charges a simulated processor for so many operations of floating point.
  void charge(double operations);
  /// For particles at points of the grid, there and back.
  void charge_points(std::size_t particles);

  /// Time of this rank that goes by until it ends counts as that of the mesh.
  class busy_time {
   public:
    explicit busy_time(mesh_part& of) : of_(of), from_(of.here_.now()) {}
    ~busy_time() { of_.busy_ += of_.here_.now() - from_; }
    busy_time(busy_time&&) = delete;

   private:
    mesh_part& of_;
    upwash::duration from_;
  };
  [[nodiscard]] busy_time busy() { return busy_time(*this); }
  /// Since the last time that it was asked for.
  [[nodiscard]] upwash::duration take_busy_time();

  [[nodiscard]] bool blocking() const noexcept { return chosen_.transpose == "blocking"; }
  /// Calls of slabs for slabs; brackets only where a strategy wants them.
  void begin_bracket(const slab& of);
  void end_bracket(const slab& of);
  template <auto Method>
  void send(const slab& from, std::int32_t to, std::vector<complex>&& waves) {
    if (by_) {
      upwash::object_view<slab>(from).with(*by_)[to].template send_first<Method>(
          urgent, from.index(), std::move(waves));
    } else {
      (*slabs_)[to].template send_first<Method>(urgent, from.index(), std::move(waves));
    }
  }
  void send_potentials(const cell_index& to, std::int32_t x, std::vector<double>&& values);

  /// Of a blocking all-to-all: what the slabs of this rank send and get.
  struct exchanged {
    std::vector<complex> out;
    std::vector<complex> in;
    int missing = 0;  ///< slabs of this rank that have not put theirs
  };
  [[nodiscard]] exchanged& rows() noexcept { return rows_; }
  [[nodiscard]] exchanged& columns() noexcept { return columns_; }
  [[nodiscard]] bool has_columns() const noexcept { return first_ < what().on.points[1]; }
  void put_row(int x, int y, std::span<const complex> waves);
  void put_column(int x, int y, std::span<const complex> waves);
  /// One more slab of this rank has put all of them; true for the last.
  [[nodiscard]] bool is_last_row();
  [[nodiscard]] bool is_last_column();
  /// In a method that waits.
  void exchange(exchanged& what);
  /// `each(x, y, waves)` for what came.
  template <class Each>
  void for_each_row(const Each& each) {
    const int planes = what().on.points[1];
    for (int x = 0; x < what().on.points[0]; ++x) {
      for (int y = first_; y < std::min(first_ + count_, planes); ++y) {
        each(x, y, waves_at(rows_.in, member_of(x), place_of(x), y - first_));
      }
    }
  }
  template <class Each>
  void for_each_column(const Each& each) {
    for (int y = 0; y < what().on.points[1]; ++y) {
      for (int x = first_; x < first_ + count_; ++x) {
        each(x, y, waves_at(columns_.in, member_of(y), place_of(y), x - first_));
      }
    }
  }

 private:
  void make_slabs();
  [[nodiscard]] int member_of(int slab_number) const;
  [[nodiscard]] int place_of(int slab_number) const;  ///< on its member
  [[nodiscard]] std::span<complex> waves_at(std::vector<complex>& in, int member, int from,
                                            int to) const;

  upwash::job& here_;
  const settings& chosen_;
  upwash::object_array<cell>& cells_;
  upwash::team among_;  ///< of the ranks with slabs; none elsewhere
  upwash::team exchanging_;
  upwash::object_array<gate> gates_;
  std::optional<upwash::object_array<slab>> slabs_;
  std::optional<upwash::strategy_id> by_;
  std::optional<planes> transforms_;
  int first_ = 0;  ///< slab of this rank
  int count_ = 0;  ///< of this rank
  int most_ = 0;   ///< of any rank
  exchanged rows_;
  exchanged columns_;
  upwash::duration busy_;
};

}  // namespace md
