// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/stencil/boxes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "apps/common/program.hpp"
#include "upwash/base/error.hpp"
#include "upwash/base/random.hpp"
#include "upwash/core/control.hpp"
#include "upwash/objects/aggregated.hpp"
#include "upwash/objects/object_array.hpp"

namespace stencil {
namespace {

using upwash::object;
using upwash::object_view;

/// What all boxes of a turn know.
struct setting {
  task what;
  triple boxes{};  ///< in each dimension
  std::uint64_t seed = 0;
  bool aggregated = false;
};

class brick : public object<triple> {
 public:
  using object::object;
  brick(const site& at, const setting& of)
      : object(at), of_(of), mine_(of.what.of, share_of(of.what.of, of.boxes, index())) {}

  template <class Archive>
  void serialize(Archive& archive) {
    archive(of_, mine_, step_, sides_, begun_, early_);
  }

  /// Neighbours may have begun before.
  void begin() {
    begun_ = true;
    give_sides();
    advance_if_all_is_there();
  }

  /// The cells of the neighbour at that side, before its step of that number. It is never more than
  /// one step ahead.
  void take(int step, direction side, std::vector<double> cells) {
    if (step == step_) return take_side(side, cells);
    early_.emplace_back(side, std::move(cells));
  }
  /// The same as an item of a stream.
  void take_item(int step, direction side, std::span<const double> cells) {
    if (step == step_) return take_side(side, cells);
    early_.emplace_back(side, std::vector(cells.begin(), cells.end()));
  }
  [[nodiscard]] std::uint64_t mark() const { return mine_.mark(); }

 private:
  void give_sides() {
    for (const direction& way : directions_of(of_.what.of.points)) {
      std::vector<double> side(mine_.at_side(way));
      mine_.pack(way, side);
      triple to;
      for (std::size_t d = 0; d < 3; ++d) {
        to[d] = (index()[d] + way[d] + of_.boxes[d]) % of_.boxes[d];
      }
      give_side(to, opposite(way), std::move(side));
    }
  }

  void give_side(const triple& to, const direction& at, std::vector<double> side) {
    if (of_.aggregated) {
      upwash::aggregated<&brick::take_item>::of(*this)[to].send(step_, at,
                                                                std::span<const double>(side));
    } else {
      object_view<brick>(*this)[to].send<&brick::take>(step_, at, std::move(side));
    }
  }

  void take_side(const direction& side, std::span<const double> cells) {
    mine_.unpack(side, cells);
    ++sides_;
    advance_if_all_is_there();
  }

  void advance_if_all_is_there() {
    if (begun_ && sides_ == of_.what.of.points - 1) advance();
  }

  void advance() {
    mine_.step();
    here().compute(upwash::duration::from_us(2.0 * of_.what.of.points *
                                             static_cast<double>(mine_.inner()) / of_.what.mflops));
    sides_ = 0;
    if (++step_ == of_.what.steps) return;
    give_sides();
    if (of_.what.wander > 0 && step_ % of_.what.wander == 0) wander();
    const auto came = std::exchange(early_, {});
    for (const auto& [side, cells] : came) take_side(side, cells);
  }

  void wander() {
    const auto [z, y, x] = index();
    const auto number = static_cast<std::uint64_t>((z * of_.boxes[1] + y) * of_.boxes[2] + x);
    const std::uint64_t drawn =
        upwash::random_bits(of_.seed, number, static_cast<std::uint64_t>(step_));
    migrate_to(static_cast<int>(drawn % static_cast<std::uint64_t>(here().size())));
  }

  setting of_;
  cells mine_;
  int step_ = 0;
  int sides_ = 0;  ///< of this step that have come
  bool begun_ = false;
  std::vector<std::pair<direction, std::vector<double>>> early_;  ///< of the next
};

constexpr unsigned bits_a_side = 20;

/// Boxes whose rank's place is that of theirs, divided by the boxes a rank in each dimension.
/// `bounds`: those, and the ranks' grid.
int rank_of_box(const triple& box, int /*members*/, const std::array<std::uint64_t, 4>& bounds) {
  int rank = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    const auto side =
        static_cast<int>((bounds[3] >> (bits_a_side * d)) & ((1U << bits_a_side) - 1));
    rank = rank * side + box[d] / static_cast<int>(bounds[d]);
  }
  return rank;
}

/// How the boxes lie on all ranks: what they know, and their home.
struct layout {
  setting of;
  std::array<std::uint64_t, 4> bounds{};
};

layout lay_out(int ranks, const task& what, std::string_view by) {
  const upwash::grid on = places_of(ranks, what);
  triple parts = sides_of(what.objects, what.of);
  // The longer side of the one along the shorter of the other.
  std::reverse(what.of.dimensions() == 2 ? parts.begin() + 1 : parts.begin(), parts.end());
  layout made{{what, {}, 7, by != objects}, {}};
  for (std::size_t d = 0; d < 3; ++d) {
    const int side = on.size(static_cast<int>(d));
    made.of.boxes[d] = side * parts[d];
    made.bounds[d] = static_cast<std::uint64_t>(parts[d]);
    made.bounds[3] |= static_cast<std::uint64_t>(side) << (bits_a_side * d);
    if (made.of.boxes[d] <= what.of.side) continue;
    throw upwash::error(upwash::error_kind::configuration,
                        fmt::format("--size {} in {} boxes a side: boxes would have no cells; give "
                                    "at least {}, or less --objects",
                                    what.of.side, made.of.boxes[d], made.of.boxes[d]));
  }
  return made;
}

}  // namespace

turn_of_boxes run_boxes(upwash::job& here, const task& what, std::string_view by) {
  const layout made = lay_out(here.size(), what, by);
  upwash::index_map<triple> home(&rank_of_box, made.bounds);
  if (what.by_hash) home = &upwash::object_array<brick>::by_hash;
  upwash::object_array<brick> all(here.world(), {.name = "boxes"}, home);
  upwash::extents<3> sides{};
  for (std::size_t d = 0; d < 3; ++d) sides[d] = static_cast<std::uint64_t>(made.of.boxes[d]);
  all.fill(upwash::all_indices<triple>(sides), made.of);
  std::optional<upwash::aggregated<&brick::take_item>> items;
  if (made.of.aggregated) {
    items.emplace(all, upwash::stream_options{.dimensions = by == aggregated2d ? 2 : 1,
                                              .buffer_bytes = what.buffer_bytes});
  }
  const std::uint64_t before = here.counters().messages_sent;
  const auto begin = here.now();
  if (what.steps > 0 && here.rank() == 0) all.broadcast<&brick::begin>();
  all.quiet();
  turn_of_boxes done;
  const std::uint64_t sent = here.counters().messages_sent - before;
  done.all = apps::slowest(here, here.now() - begin);
  done.messages = apps::total(here, sent);
  std::uint64_t mark = 0;
  all.for_each_here([&](const brick& one) { mark += one.mark(); });
  done.mark = apps::total(here, mark);
  return done;
}

}  // namespace stencil
