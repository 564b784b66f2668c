// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Lets ranks that are ready in different rounds agree on a common round to continue in. Reports go
// up a tree. The start message goes down with the number of remaining rounds, so that all start at
// once.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "upwash/base/function_ref.hpp"

namespace upwash::neighborhoods {

/// Messages: 2 a rank, except one rank. Rounds: 2 log8 of the ranks after the last is ready.
class common_end {
 public:
  /// To the parent: the largest value of the subtree. To a child: the largest of all, and the
  /// number of rounds until the start.
  using report_teller = function_ref<void(int to, int value)>;
  using start_teller = function_ref<void(int to, int value, int rounds)>;

  common_end(int rank, int ranks) : rank_(rank), ranks_(ranks) {
    for (int child = first_child(); child < first_child() + width && child < ranks; ++child) {
      ++waits_for_;
    }
  }

  void hear_report(int value) {
    --waits_for_;
    most_ = value > most_ ? value : most_;
  }
  void hear_start(int value, int rounds) {
    most_ = value;
    rounds_left_ = rounds;
    heard_ = true;
  }
  /// Marks this rank as ready; call it once.
  void ready(int value) {
    ready_ = true;
    most_ = value > most_ ? value : most_;
  }
  /// Call it in each round, after the received messages. Returns whether all start now.
  bool step(report_teller report, start_teller start) {
    if (rounds_left_ && !std::exchange(heard_, false)) {
      --*rounds_left_;
    } else if (rounds_left_) {
      tell_children(start);
    } else if (ready_ && waits_for_ == 0 && !reported_) {
      reported_ = true;
      if (rank_ > 0) {
        report((rank_ - 1) / width, most_);
      } else {
        rounds_left_ = depth();
        tell_children(start);
      }
    }
    return rounds_left_ && *rounds_left_ == 0;
  }
  /// Returns the largest value of all ranks; valid once all start.
  [[nodiscard]] int most() const noexcept { return most_; }

 private:
  static constexpr int width = 8;

  [[nodiscard]] int first_child() const noexcept { return rank_ * width + 1; }
  /// Depth of the deepest rank.
  [[nodiscard]] int depth() const noexcept {
    int levels = 0;
    for (int at = ranks_ - 1; at > 0; at = (at - 1) / width) ++levels;
    return levels;
  }
  void tell_children(start_teller start) const {
    for (int child = first_child(); child < first_child() + width && child < ranks_; ++child) {
      start(child, most_, *rounds_left_ - 1);
    }
  }

  int rank_;
  int ranks_;
  int waits_for_ = 0;
  int most_ = 0;
  bool ready_ = false;
  bool reported_ = false;
  bool heard_ = false;
  std::optional<int> rounds_left_;
};

}  // namespace upwash::neighborhoods
