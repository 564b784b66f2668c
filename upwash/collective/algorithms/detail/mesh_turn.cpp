// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/detail/mesh_turn.hpp"

#include <algorithm>
#include <cstddef>

namespace upwash::collective::detail {

model::grid mesh_grid(int ranks, int dimensions, int row) {
  if (row == 0) return model::grid::near_cube(ranks, dimensions);
  const std::array sizes{row, (ranks + row - 1) / row};
  return {ranks, sizes};
}

namespace {

constexpr std::size_t at(int i) noexcept { return static_cast<std::size_t>(i); }

}  // namespace

int mesh_turn::own_coordinate() const noexcept { return here_[at(phase_)]; }

int mesh_turn::coordinate_to() const noexcept {
  const int further = own_coordinate() + turn_;
  return further < on_.size(phase_) ? further : further - on_.size(phase_);
}

int mesh_turn::coordinate_from() const noexcept {
  const int before = own_coordinate() - turn_;
  return before >= 0 ? before : before + on_.size(phase_);
}

int mesh_turn::arrival(bool for_hole) const noexcept {
  if (is_own()) return -1;
  const auto from = on_.arrivals_from(here_, phase_, coordinate_from());
  return for_hole ? from.for_hole : from.on_line;
}

std::uint32_t mesh_turn::rank_class() const noexcept {
  const int top = on_.dimensions() - 1;
  std::uint32_t digits = here_[at(top)] + 1 == on_.size(top) ? 1 : 0;
  for (int d = 0; d < on_.dimensions(); ++d) {
    // Those that stand in for holes hear from two more at most.
    const auto senders = static_cast<std::uint32_t>(on_.senders(here_, d));
    digits = digits * (static_cast<std::uint32_t>(on_.size(d)) + 3) + senders;
  }
  return digits + 1;
}

std::uint32_t mesh_turn::edge() const noexcept {
  int number = turn_;
  for (int d = 0; d < phase_; ++d) number += on_.size(d);
  return static_cast<std::uint32_t>(number);
}

std::uint32_t mesh_turn::edges() const noexcept {
  int number = 0;
  for (int d = 0; d < on_.dimensions(); ++d) number += on_.size(d);
  return static_cast<std::uint32_t>(number);
}

mesh_turn::share mesh_turn::to_send() const noexcept {
  const int coordinate = coordinate_to();
  share of_this_turn;
  of_this_turn.lead = on_.before(here_, phase_, coordinate);
  of_this_turn.count = on_.before(here_, phase_, coordinate + 1) - of_this_turn.lead;
  of_this_turn.of_all = on_.before(here_, phase_, on_.size(phase_));
  return of_this_turn;
}

bool mesh_turn::next_turn() noexcept {
  if (++turn_ < on_.size(phase_)) return true;
  turn_ = 0;
  return false;
}

std::uint32_t exchange_window(int ranks) noexcept {
  constexpr std::uint64_t most_open = 256;
  return static_cast<std::uint32_t>(std::min(most_open, 8 + 4 * static_cast<std::uint64_t>(ranks)));
}

int sources(const model::grid& on, int phase, int holder) noexcept {
  int sum = 1;
  if (on.full()) {
    for (int d = 0; d < phase; ++d) sum *= on.size(d);
    return sum;
  }
  if (phase == 0) return 1;
  if (phase == 1) return on.senders(holder, 0);
  sum = 0;
  for (int i = on.senders(holder, phase - 1); i-- > 0;) {
    sum += sources(on, phase - 1, on.sender(holder, phase - 1, i));
  }
  return sum;
}

std::uint64_t most_sources(const model::grid& on, int phase) noexcept {
  const int top = on.dimensions() - 1;
  std::uint64_t most = 1;
  for (int d = 0; d < phase; ++d) {
    int senders = on.size(d);
    const int slabs_below = on.size(top) - 1;  // which share at most size - 1 senders to a hole
    if (!on.full() && d != top) senders += (on.size(d) - 2 + slabs_below) / slabs_below;
    most *= static_cast<std::uint64_t>(senders);
  }
  return most;
}

source_walk::source_walk(const model::grid& on, int phase, int holder) noexcept : depth_(phase) {
  holders_[at(phase)] = holder;
  descend(on, phase);
}

/// Takes the first of all levels below.
void source_walk::descend(const model::grid& on, int level) noexcept {
  for (int d = level - 1; d >= 0; --d) {
    indices_[at(d)] = 0;
    holders_[at(d)] = on.sender(holders_[at(d + 1)], d, 0);
  }
}

bool source_walk::step(const model::grid& on, int level) noexcept {
  for (int d = level; d < depth_; ++d) {
    if (++indices_[at(d)] == on.senders(holders_[at(d + 1)], d)) continue;
    holders_[at(d)] = on.sender(holders_[at(d + 1)], d, indices_[at(d)]);
    descend(on, d);
    within_ = d == depth_ - 1 ? 0 : within_ + 1;
    return true;
  }
  return false;
}

bool source_walk::next(const model::grid& on) noexcept { return step(on, 0); }

bool source_walk::next_bundle(const model::grid& on) noexcept { return step(on, depth_ - 1); }

bool destination_walk::next(const model::grid& on) noexcept {
  for (int d = on.dimensions() - 1; d > 0; --d) {
    if (++at_[at(d)] < on.line(at_, d)) return true;
    at_[at(d)] = 0;
  }
  return false;
}

}  // namespace upwash::collective::detail
