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
  int threshold = 2;        ///< groups have more common destinations than this
  bool aware = true;        ///< a group has ranks of one node only
  bool cumulative = false;  ///< destinations divided in one group can be divided again
};

/// The division of destinations in a stage in which this rank has friends, sorted by destination.
struct friends_stage {
  int number = 0;
  friend_group group;
  std::vector<std::pair<int, int>> takers;  ///< destination, rank

  /// Returns the rank that takes the destination; `otherwise`, the rank itself, if none does.
  [[nodiscard]] int taker_of(int destination, int otherwise) const;
};

/// A rank is in step with its possible group members and with no other ranks. Its stage is over
/// when it is over for all of these. Memory: the table, until all have ended.
class friends_grouping {
 public:
  friends_grouping(router& at, const friends_options& with);

  /// Tells each source the other sources. The table begins one round later.
  void introduce() const;
  void begin();
  /// Runs one later round: receives and sends. Returns whether all ranks have ended, which happens
  /// in the same round everywhere.
  bool step();
  /// Returns the number of stages of all ranks.
  [[nodiscard]] int stages() const noexcept { return end_.most(); }
  /// Returns this rank's stages and removes them.
  [[nodiscard]] std::vector<friends_stage> take_stages() { return std::move(found_); }

 private:
  using word = std::int32_t;
  enum kind : word { choice, gone, report, start };

  void hear(int from, std::span<const word> words);
  void hear_of_stage(int from, std::span<const word> words);
  void advance();
  bool begin_stage();
  void form(const friend_group& group);
  /// Ends this rank's part in the stage.
  void leave(const friend_table::set& given_up, bool for_good);
  void tell(int to, kind what, std::span<const int> more);

  router& at_;
  friends_options with_;
  std::unique_ptr<friend_table> table_;
  std::unique_ptr<group_matching> matching_;  ///< of this stage, until it is decided
  int stage_ = 0;
  bool in_stage_ = false;
  std::size_t waits_for_ = 0;  ///< candidates that are still in this stage
  /// Messages from ranks that are one stage ahead; no rank is further.
  std::vector<std::pair<int, std::vector<word>>> early_;
  std::vector<word> telling_;  ///< kept for its memory
  std::vector<friends_stage> found_;
  common_end end_;
};

}  // namespace upwash::neighborhoods
