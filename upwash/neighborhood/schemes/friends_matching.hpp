// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How ranks find groups of k in which each is in at most one, the heavier the better: a matching in
// a hypergraph of which each rank knows its own edges.
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
  /// The first one, by friend_group::before, of those without a rank that is gone, or one that is
  /// good enough; empty: none.
  [[nodiscard]] virtual friend_group best() = 0;
  /// This group with its weight here, empty where it is not one.
  [[nodiscard]] virtual friend_group known(std::span<const int> ranks) = 0;
  /// This rank will be in no group of these.
  virtual void gone(int rank) = 0;
};

/// One rank's part in one matching. Ranks go in steps; what one tells in a step the others hear
/// before the next.
class group_matching {
 public:
  enum class outcome { open, grouped, alone };
  /// Tells a rank what this one has chosen; empty: a group without that rank, or none any more.
  using teller = function_ref<void(int to, std::span<const int> choice)>;

  virtual ~group_matching() = default;
  virtual void hear_choice(int from, std::span<const int> choice) = 0;
  /// It is in a group, or will be in none. The caller tells so when this rank's own part is over.
  virtual void hear_gone(int from) = 0;
  /// After all that came was heard. Not to be called once it is decided.
  virtual outcome step(teller tell) = 0;
  [[nodiscard]] virtual const friend_group& chosen() const = 0;
};

/// Each rank asks for the best group it knows and changes over to better ones that it is asked for;
/// all of a group that ask for the same are one. Of all groups asked for at a time the first is
/// formed in the next two steps, so it always ends. Where each rank knows all of its groups, the
/// result is that of taking the heaviest group again and again: at least 1/k of the most that is
/// possible. Steps: the longest chain of groups of which each waits for the one before.
/// Source: Ghazimirsaeed 2019, algorithm 7.3 (Hoepman 2004 for k = 2).
class asking_matching final : public group_matching {
 public:
  /// `first`: the best of its groups while nobody is gone.
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
  std::vector<std::pair<int, friend_group>> latest_;  ///< each rank's choice, as last heard
};

/// The matching of the largest total weight, found with all groups at hand: what others are
/// measured by. Time and memory grow as 2^ranks: for at most 20 ranks.
[[nodiscard]] std::vector<friend_group> exact_matching(int ranks,
                                                       std::span<const friend_group> groups);

/// A matching that was found elsewhere, such as the exact one.
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
