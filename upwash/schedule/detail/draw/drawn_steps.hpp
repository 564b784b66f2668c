// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a drawing shows: the steps of all ranks in time, gathered where ranks share lines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "upwash/schedule/draw.hpp"

namespace upwash::schedule::draw_detail {

/// Which line a rank has: consecutive ones share it where there are more than can be read.
class rank_lines {
 public:
  explicit rank_lines(int ranks)
      : ranks_(ranks), each_((ranks + most_ranks_drawn - 1) / most_ranks_drawn) {}

  [[nodiscard]] int of(int rank) const noexcept { return rank / each_; }
  [[nodiscard]] int count() const noexcept { return (ranks_ + each_ - 1) / each_; }
  [[nodiscard]] bool shared() const noexcept { return each_ > 1; }
  /// "rank 3", "ranks 8-15"
  [[nodiscard]] std::string name(int line) const;

 private:
  int ranks_;
  int each_;
};

/// In the order of time. Throws `error` (argument) for more than so many, and what price throws.
[[nodiscard]] std::vector<drawn_step> all_steps(const drawing& of,
                                                function_ref<generator(int)> schedule_of,
                                                std::uint64_t most_steps);

/// Steps of a kind between the same two lines in a round as one, from the first to the last.
[[nodiscard]] std::vector<drawn_step> gathered(const std::vector<drawn_step>& steps,
                                               const rank_lines& on);

}  // namespace upwash::schedule::draw_detail
