// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/neighborhood/relay/price_plans.hpp"

#include <algorithm>
#include <optional>

#include "upwash/model/cost.hpp"
#include "upwash/neighborhood/relay/relay_schedule.hpp"
#include "upwash/schedule/price.hpp"

namespace upwash::neighborhoods {
namespace {

/// What a team of all ranks has.
constexpr std::uint64_t most_shared = std::uint64_t{1} << 20U;

/// Prices see the nodes of a machine one behind the other, all of one size: where ranks are so
/// placed each has a seat, and some seats may stay empty.
class seating {
 public:
  seating(const model::node_map& nodes, const machine& on) : on_(on) {
    const int most = nodes.largest_size();
    const bool has_nodes = on.levels.back().kind > level_kind::node;
    if (has_nodes) on_ = with_room_for(most, on);
    const int room = has_nodes ? on_.ranks_in(level_kind::node) : most;
    for (int rank = 0; rank < nodes.ranks(); ++rank) {
      seat_of_.push_back(nodes.node_of(rank) * room + nodes.place_of(rank));
    }
    seats_ = *std::max_element(seat_of_.begin(), seat_of_.end()) + 1;
    rank_at_.assign(static_cast<std::size_t>(seats_), nobody);
    for (int rank = 0; rank < nodes.ranks(); ++rank) {
      rank_at_[static_cast<std::size_t>(seat_of_[static_cast<std::size_t>(rank)])] = rank;
    }
  }

  [[nodiscard]] const machine& on() const noexcept { return on_; }
  [[nodiscard]] int seats() const noexcept { return seats_; }
  [[nodiscard]] std::span<const int> of_ranks() const noexcept { return seat_of_; }
  [[nodiscard]] std::optional<std::size_t> rank_at(int seat) const {
    const int rank = rank_at_[static_cast<std::size_t>(seat)];
    return rank == nobody ? std::nullopt : std::optional(static_cast<std::size_t>(rank));
  }

 private:
  static constexpr int nobody = -1;

  static machine with_room_for(int ranks, const machine& on) {
    const int room = on.ranks_in(level_kind::node);
    if (ranks <= room) return with_ranks_a_node(on, ranks);
    return with_ranks_a_core(on, (ranks + room - 1) / room);
  }

  machine on_;
  std::vector<int> seat_of_;
  std::vector<int> rank_at_;
  int seats_ = 0;
};

}  // namespace

duration price_plans(std::span<const plan_outline> by_rank, const cost_terms& in) {
  const seating all(in.nodes, in.on);
  const bool shared = by_rank.front().is_shared();
  schedule::price_options options;
  options.free_where_absent = true;
  options.every_rank = true;
  options.most_steps = ~std::uint64_t{0};
  schedule::transfer_rules rules;
  rules.eager_bytes = in.eager_bytes;
  const plan_outline nothing;
  return schedule::price(
             all.seats(),
             [&](int seat) {
               const auto rank = all.rank_at(seat);
               return (rank ? by_rank[*rank] : nothing).schedule(all.of_ranks());
             },
             shared ? all.on() : model::with_edges(all.on()), rules, options)
      .completion;
}

duration price_plans(const std::vector<relay_plan>& plans, std::uint64_t bytes,
                     const cost_terms& in) {
  std::vector<plan_outline> outlines;
  outlines.reserve(plans.size());
  for (const relay_plan& each : plans) {
    outlines.emplace_back(laid_out_plan(each, bytes, scratch_of_node), most_shared);
  }
  return price_plans(outlines, in);
}

}  // namespace upwash::neighborhoods
