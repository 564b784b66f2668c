// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One rank's part in finding friends, stage by stage: Ghazimirsaeed 2019, algorithm 7.1.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "upwash/neighborhood/relay/router.hpp"
#include "upwash/neighborhood/schemes/common_end.hpp"
#include "upwash/neighborhood/schemes/friends_matching.hpp"
#include "upwash/neighborhood/schemes/friends_table.hpp"

namespace upwash::neighborhoods {

struct friends_options {
  std::size_t size = 2;     ///< of a group
  int threshold = 2;        ///< groups have more in common
  bool aware = true;        ///< groups are of ranks of one node
  bool cumulative = false;  ///< destinations that a group divided can be divided again
};

/// Who takes over what in a stage in which this rank has friends: sorted by destination.
struct friends_stage {
  int number = 0;
  friend_group group;
  std::vector<std::pair<int, int>> takers;  ///< destination, rank

  /// The rank itself, if nobody takes it over.
  [[nodiscard]] int taker_of(int destination, int otherwise) const;
};

/// Ranks are in step with those they may be in a group with, and with no others: a stage of a rank
/// is over when it is over for all these. Memory: the table, until all have ended.
class friends_grouping {
 public:
  friends_grouping(router& at, const friends_options& with);

  /// Tells sources who else is one. A round later the rest begins.
  void introduce() const;
  void begin();
  /// Each round from then on: hears and tells. Returns whether all ranks have ended, which is in
  /// the same round everywhere.
  bool step();
  /// Of all ranks.
  [[nodiscard]] int stages() const noexcept { return end_.most(); }
  /// Of this rank; leaves none.
  [[nodiscard]] std::vector<friends_stage> take_stages() { return std::move(found_); }

 private:
  using word = std::int32_t;
  enum kind : word { choice, gone, report, start };

  void hear(int from, std::span<const word> words);
  void hear_of_stage(int from, std::span<const word> words);
  void advance();
  bool begin_stage();
  void form(const friend_group& group);
  /// This rank's part in the stage is over.
  void leave(const friend_table::set& given_up, bool for_good);
  void tell(int to, kind what, std::span<const int> more);

  router& at_;
  friends_options with_;
  std::unique_ptr<friend_table> table_;
  std::unique_ptr<group_matching> matching_;  ///< of this stage, until it is decided
  int stage_ = 0;
  bool in_stage_ = false;
  std::size_t waits_for_ = 0;  ///< candidates that are still in this stage
  /// From ranks that are a stage ahead; no rank is further.
  std::vector<std::pair<int, std::vector<word>>> early_;
  std::vector<word> telling_;  ///< kept for its memory
  std::vector<friends_stage> found_;
  common_end end_;
};

}  // namespace upwash::neighborhoods
