// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "upwash/base/error.hpp"
#include "upwash/neighborhood/schemes/schemes.hpp"

namespace upwash::neighborhoods {
namespace {

/// How a block gets from offset 0 to each offset of an interval: in step t it goes from where it is
/// on by shift t, for those offsets that this step gains. A step gains at most as many as there
/// are.
class shifts {
 public:
  /// `straight`: no block goes beyond the way between its origin and a destination, since the line
  /// may end there.
  shifts(grid_reach::interval reach, bool straight) : reach_(reach), hops_(width()) {
    int least = 0;
    int most = 0;
    while (least > reach.least || most < reach.most) {
      const bool ahead = reach.most - most >= least - reach.least;
      const int have = straight ? (ahead ? most : -least) + 1 : most - least + 1;
      const int gain = std::min(have, ahead ? reach.most - most : least - reach.least);
      const int by = ahead ? gain : -gain;
      const int first = ahead ? most + 1 : least - gain;
      for (int offset = first; offset < first + gain; ++offset) {
        hop(offset) = {static_cast<int>(by_.size()), offset - by};
      }
      (ahead ? most : least) += by;
      by_.push_back(by);
    }
  }

  [[nodiscard]] int steps() const noexcept { return static_cast<int>(by_.size()); }
  [[nodiscard]] int by(int step) const { return by_[static_cast<std::size_t>(step)]; }
  /// The step in which a block that is at offset `at` leaves for `offset`. Throws `error` (fault)
  /// where its way does not lead there: it comes of a grid that differs.
  [[nodiscard]] int step_from(int at, int offset) const {
    const bool within = offset >= reach_.least && offset <= reach_.most;
    int last = within ? offset : 0;
    while (hop(last).step >= 0 && hop(last).from != at) last = hop(last).from;
    if (hop(last).step >= 0) return hop(last).step;
    throw error(error_kind::fault,
                fmt::format("doubling: no way from offset {} to {} within {} .. {}; members' grids "
                            "differ (internal error)",
                            at, offset, reach_.least, reach_.most));
  }

 private:
  struct one_hop {
    int step = -1;
    int from = 0;
  };
  [[nodiscard]] std::size_t width() const noexcept {
    return static_cast<std::size_t>(reach_.most - reach_.least) + 1;
  }
  [[nodiscard]] one_hop& hop(int offset) {
    return hops_[static_cast<std::size_t>(offset - reach_.least)];
  }
  [[nodiscard]] const one_hop& hop(int offset) const {
    return hops_[static_cast<std::size_t>(offset - reach_.least)];
  }

  grid_reach::interval reach_;
  std::vector<one_hop> hops_;
  std::vector<int> by_;
};

class dimension {
 public:
  dimension(const grid_reach& reach, int number)
      : on_(reach.on),
        number_(number),
        reach_(reach.along[static_cast<std::size_t>(number)]),
        shifts_(reach_, !on_.periodic(number)) {}

  [[nodiscard]] int steps() const noexcept { return shifts_.steps(); }
  void pass_on(router& at, int step) const {
    const int to = on_.shifted(at.rank(), number_, shifts_.by(step));
    const parcel_list held = at.take();
    std::vector<int> going;
    std::vector<int> staying;
    for (std::size_t i = 0; i < held.size(); ++i) {
      going.clear();
      staying.clear();
      const int here = offset(held[i].origin, at.rank());
      for (const int destination : held[i].destinations) {
        const int there = offset(held[i].origin, destination);
        const bool goes = there != here && shifts_.step_from(here, there) == step;
        (goes ? going : staying).push_back(destination);
      }
      at.keep(held[i], staying);
      at.pass(held[i], going, to);
    }
  }

 private:
  /// How far on the way from its origin; on a ring the one within reach.
  [[nodiscard]] int offset(int origin, int rank) const {
    int way = on_.coordinate(rank, number_) - on_.coordinate(origin, number_);
    if (on_.periodic(number_)) {
      const int around = on_.size(number_);
      if (way < reach_.least) way += around;
      if (way > reach_.most) way -= around;
    }
    return way;
  }

  const grid& on_;
  int number_;
  grid_reach::interval reach_;
  shifts shifts_;
};

}  // namespace

int steps_of_doubling(const grid_reach& reach) {
  int steps = 0;
  for (int i = 0; i < reach.on.dimensions(); ++i) steps += dimension(reach, i).steps();
  return steps;
}

routing doubling(router& at, const model::values& /*with*/) {
  const grid_reach& reach = *at.coordinates();
  for (int i = 0; i < reach.on.dimensions(); ++i) {
    const dimension along(reach, i);
    for (int step = 0; step < along.steps(); ++step) {
      along.pass_on(at, step);
      co_await at.next_round();
    }
  }
}

}  // namespace upwash::neighborhoods
