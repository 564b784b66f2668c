// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A rank's table of the ranks that send to the same destinations: Ghazimirsaeed 2019, algorithm
// 7.2. Groups are searched on demand and not stored.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "upwash/neighborhood/schemes/friends_matching.hpp"

namespace upwash::neighborhoods {

/// One row of bits for each friend: the destinations that it shares with this rank. Memory: a bit
/// for each friend and destination.
class friend_table final : public groups_at_rank {
 public:
  /// Sets of destinations, as bits by position.
  using word = std::uint64_t;
  using set = std::vector<word>;

  /// Groups of `size` (2 to 16) ranks with more than `threshold` common destinations.
  friend_table(int rank, std::span<const int> destinations, std::size_t size, int threshold);

  /// Learns that these ranks also send to the destination at `place`.
  void learn(std::size_t place, std::span<const int> sources);
  /// Begins a stage in which no rank is gone. Returns the number of ranks with enough common
  /// destinations.
  std::size_t begin_stage();

  [[nodiscard]] friend_group best() override;
  [[nodiscard]] friend_group known(std::span<const int> ranks) override;
  void gone(int rank) override;

  /// Visits the ranks with enough common destinations at the begin of the stage.
  template <class Visit>
  void each_candidate(Visit visit) const {
    for (const candidate& each : candidates_) visit(rows_[each.row].rank);
  }
  [[nodiscard]] std::size_t candidates() const noexcept { return candidates_.size(); }
  /// Returns the common destinations of the group.
  [[nodiscard]] set common(const friend_group& group) const;
  /// Adds those of the destinations that a friend sends to as well.
  void add_shared(std::vector<int>& to, int rank, const set& destinations) const;

  [[nodiscard]] set none() const { return set(words_); }
  /// Marks the destination if this rank still sends to it.
  void include(set& in, int destination) const;
  [[nodiscard]] std::vector<int> ranks_in(const set& some) const;

  /// Records that this rank no longer sends to these.
  void give_up(const set& destinations);
  /// Records that a friend no longer sends to these.
  void given_up(int rank, std::span<const int> sorted);
  /// Records that a friend will be in no group any more.
  void forget(int rank);

  /// Returns the number of groups with this rank; the search ends after `most_steps` steps.
  [[nodiscard]] std::uint64_t count_groups(std::uint64_t most_steps) const;

 private:
  struct row {
    int rank = 0;
    bool here = true;  ///< not gone in this stage
  };
  struct candidate {
    std::size_t row = 0;
    int weight = 0;
    std::uint64_t spread = 0;
  };
  class search;
  class counter;

  [[nodiscard]] std::span<const word> bits(std::size_t number) const {
    return std::span(bits_).subspan(number * words_, words_);
  }
  [[nodiscard]] std::span<word> bits(std::size_t number) {
    return std::span(bits_).subspan(number * words_, words_);
  }
  static constexpr std::size_t nobody = ~std::size_t{0};
  [[nodiscard]] std::size_t row_of(int rank) const;
  std::size_t row_for(int rank);
  void add_ranks(std::vector<int>& to, std::size_t at, word some) const;

  int rank_;
  std::span<const int> destinations_;
  std::size_t size_;
  int threshold_;
  std::size_t words_;
  set active_;
  std::vector<row> rows_;
  std::vector<word> bits_;
  std::vector<std::uint32_t> index_;   ///< open addressing over `rows_`
  std::vector<candidate> candidates_;  ///< the heaviest first
};

}  // namespace upwash::neighborhoods
