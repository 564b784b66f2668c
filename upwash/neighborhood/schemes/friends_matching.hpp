// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Finds groups of k ranks in which each rank is in at most one, with large weights: a matching in a
// hypergraph in which each rank knows its own edges.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "upwash/base/function_ref.hpp"
#include "upwash/neighborhood/schemes/friends_group.hpp"

namespace upwash::neighborhoods {

/// The groups that a rank may be in.
class groups_at_rank {
 public:
  virtual ~groups_at_rank() = default;
  /// Returns the first group, by friend_group::before, of those without a rank that is gone, or one
  /// that is good enough; empty: none.
  [[nodiscard]] virtual friend_group best() = 0;
  /// Returns this group with its weight here; empty if it is not a group.
  [[nodiscard]] virtual friend_group known(std::span<const int> ranks) = 0;
  /// Marks a rank that will be in none of these groups.
  virtual void gone(int rank) = 0;
};

/// One rank's part in one matching. Ranks proceed in steps. A message of one step is received
/// before the next.
class group_matching {
 public:
  enum class outcome { open, grouped, alone };
  /// Tells a rank this one's choice; empty: a group without that rank, or none any more.
  using teller = function_ref<void(int to, std::span<const int> choice)>;

  virtual ~group_matching() = default;
  virtual void hear_choice(int from, std::span<const int> choice) = 0;
  /// The rank is in a group, or will be in none. The caller reports this when this rank's own part
  /// is over.
  virtual void hear_gone(int from) = 0;
  /// Call it after all received messages, and not after the decision.
  virtual outcome step(teller tell) = 0;
  [[nodiscard]] virtual const friend_group& chosen() const = 0;
};

/// Each rank asks for the best group it knows, and changes to better ones that others ask it for.
/// All ranks of a group that ask for it form it. The first of all requested groups is formed within
/// the next two steps, so the matching always ends. If each rank knows all of its groups, the
/// result equals repeatedly taking the heaviest group: at least 1/k of the optimum. Steps: the
/// longest chain of groups that wait for each other. Source: Ghazimirsaeed 2019, algorithm 7.3
/// (Hoepman 2004 for k = 2).
class asking_matching final : public group_matching {
 public:
  /// `first`: the best group while no rank is gone.
  asking_matching(int rank, groups_at_rank& groups, const friend_group& first)
      : rank_(rank), groups_(groups), own_best_(first) {}
  void hear_choice(int from, std::span<const int> choice) override;
  void hear_gone(int from) override;
  outcome step(teller tell) override;
  [[nodiscard]] const friend_group& chosen() const override { return choice_; }

 private:
  [[nodiscard]] bool all_ask() const;
  void forget(int rank);
  void change_to(const friend_group& next, teller tell);

  int rank_;
  groups_at_rank& groups_;
  friend_group choice_;
  friend_group own_best_;
  bool searched_ = true;                              ///< since a rank of the best group was gone
  std::vector<friend_group> asked_for_;               ///< by others, without ranks that are gone
  std::vector<std::pair<int, friend_group>> latest_;  ///< latest known choice of each rank
};

/// Returns the matching of the largest total weight, from all groups: the reference for other
/// matchings. Time and memory grow as 2^ranks: for at most 20 ranks.
[[nodiscard]] std::vector<friend_group> exact_matching(int ranks,
                                                       std::span<const friend_group> groups);

/// A matching that was computed elsewhere, for example the exact one.
class given_matching final : public group_matching {
 public:
  given_matching(int rank, std::span<const friend_group> all);
  void hear_choice(int /*from*/, std::span<const int> /*choice*/) override {}
  void hear_gone(int /*from*/) override {}
  outcome step(teller /*tell*/) override {
    return chosen_.empty() ? outcome::alone : outcome::grouped;
  }
  [[nodiscard]] const friend_group& chosen() const override { return chosen_; }

 private:
  friend_group chosen_;
};

}  // namespace upwash::neighborhoods
