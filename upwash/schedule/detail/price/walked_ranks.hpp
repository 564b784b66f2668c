// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which ranks of a team are walked, and who of them stands for whom.
#pragma once

#include <cstdint>
#include <vector>

#include "upwash/model/machine.hpp"
#include "upwash/schedule/detail/price/messages_under_way.hpp"
#include "upwash/schedule/detail/price/rank_classes.hpp"

namespace upwash::schedule::detail {

struct run_plan {
  int ranks = 1;          ///< of the team
  int walked = 1;         ///< ranks from `first` on; peer p is the one as far away, modulo walked
  int first = 0;          ///< not 0: only one is walked
  int alike_on_node = 1;  ///< ranks of a node that a walked rank stands for
  const rank_classes* classes = nullptr;  ///< then those that stand for them are walked
  std::uint32_t rounds_in_unit = 4;       ///< rounds are compared by so many
  std::uint32_t least_window = 32;
};

/// The plan of a run, read. Owns nothing that changes; the plan's classes and the machine outlive
/// it. Used against nothing, by all parts that meet peers.
class walked_ranks {
 public:
  walked_ranks(const run_plan& plan, const machine& on) : plan_(plan), on_(on) {}

  [[nodiscard]] int team() const noexcept { return plan_.ranks; }
  [[nodiscard]] int count() const noexcept { return plan_.walked; }
  [[nodiscard]] bool are_all() const noexcept { return plan_.walked == plan_.ranks; }
  [[nodiscard]] bool by_class() const noexcept { return plan_.classes != nullptr; }

  /// The rank of the team that a walked one is.
  [[nodiscard]] int member(int rank) const noexcept {
    return !by_class() ? plan_.first + rank
                       : plan_.classes->representatives[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] bool is_itself(int rank, int peer) const noexcept {
    return peer == own || peer == member(rank);
  }
  /// For so many ranks the walked one counts in sums over `divisor()`.
  [[nodiscard]] std::uint32_t weight(int rank) const noexcept {
    return by_class() ? plan_.classes->members[static_cast<std::size_t>(rank)] : 1;
  }
  [[nodiscard]] int divisor() const noexcept { return by_class() ? plan_.ranks : plan_.walked; }
  /// The class of each rank of the team; by class.
  [[nodiscard]] const std::vector<std::uint32_t>& classes() const noexcept {
    return plan_.classes->of_rank;
  }
  /// Who stands for a peer: the walked rank at the same distance round the team. To whom half the
  /// team away is ahead (`sends`), that one is behind.
  [[nodiscard]] int standing_for(int rank, int peer, bool sends) const noexcept;
  /// Of the machine, between a walked rank and a peer.
  [[nodiscard]] std::size_t level(int rank, int peer) const noexcept {
    return on_.level_between(member(rank), peer);
  }
  [[nodiscard]] message message_to(int peer, message_kind what, int rank,
                                   std::uint64_t bytes) const;
  /// Whether so few ranks can walk it: of a class counters and members' memory need the members.
  [[nodiscard]] bool can_walk(const step& what) const noexcept;

 private:
  run_plan plan_;
  const machine& on_;
};

}  // namespace upwash::schedule::detail
