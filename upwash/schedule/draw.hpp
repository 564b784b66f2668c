// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Draws a schedule of a small team as SVG: ranks as lines, time to the right, messages as arrows,
// copies and reductions as marks, a colour a round. Of more ranks than can be read consecutive ones
// share a line, and what goes from one line to another in a round is one arrow, as wide as there is
// more of it.
#pragma once

#include <string>
#include <vector>

#include "upwash/base/function_ref.hpp"
#include "upwash/model/machine.hpp"
#include "upwash/schedule/generator.hpp"
#include "upwash/schedule/lower.hpp"
#include "upwash/schedule/price.hpp"

namespace upwash::schedule {

inline constexpr int most_ranks_drawn = 64;  ///< each on a line of its own
inline constexpr std::uint64_t most_steps_drawn = 20'000;
inline constexpr std::uint64_t most_steps_gathered = 500'000;  ///< where ranks share lines

/// Which line of a drawing a rank has: consecutive ones share it where there are more than can be
/// read.
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

struct drawing {
  std::string title;
  int ranks = 1;
  /// Time on this machine; none: each message takes a unit of its sender, one behind the other.
  const machine* on = nullptr;
  transfer_rules rules;  ///< with a machine
};

/// A step; where lines are shared all of a kind between the same two lines in a round, from the
/// first one's begin to the last one's end, with the ranks of the first.
struct drawn_step {
  traced_step when;
  step what;
  /// Of a send or a signal: when the first receive or await that fits is done with it; else when it
  /// is done itself.
  duration arrives;
  std::uint64_t count = 1;  ///< of steps that it stands for
};

/// What a drawing shows, in the order of time. Throws `error` (argument) for more steps than can be
/// read, or gathered, and what price throws.
[[nodiscard]] std::vector<drawn_step> drawn_steps(const drawing& of,
                                                  function_ref<generator(int rank)> schedule_of);

/// An SVG document without outer resources. Each arrow has a tooltip. Throws as `drawn_steps`.
[[nodiscard]] std::string draw_svg(const drawing& of,
                                   function_ref<generator(int rank)> schedule_of);

}  // namespace upwash::schedule
