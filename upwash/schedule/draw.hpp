// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Draws a schedule of a small team as SVG. Ranks are lines, time runs to the right, messages are
// arrows, copies and reductions are marks, each round has a color. In a large team consecutive
// ranks share a line. The messages between two lines in a round are then one arrow; its width shows
// their volume.
#pragma once

#include <string>
#include <vector>

#include "upwash/base/function_ref.hpp"
#include "upwash/model/machine.hpp"
#include "upwash/schedule/generator.hpp"
#include "upwash/schedule/lower.hpp"
#include "upwash/schedule/price.hpp"

namespace upwash::schedule {

inline constexpr int most_ranks_drawn = 64;  ///< each on its own line
inline constexpr std::uint64_t most_steps_drawn = 20'000;
inline constexpr std::uint64_t most_steps_gathered = 500'000;  ///< if ranks share lines

/// Maps ranks to the lines of a drawing. Consecutive ranks share a line if there are more ranks
/// than readable lines.
class rank_lines {
 public:
  explicit rank_lines(int ranks)
      : ranks_(ranks), each_((ranks + most_ranks_drawn - 1) / most_ranks_drawn) {}

  [[nodiscard]] int of(int rank) const noexcept { return rank / each_; }
  [[nodiscard]] int count() const noexcept { return (ranks_ + each_ - 1) / each_; }
  [[nodiscard]] bool shared() const noexcept { return each_ > 1; }
  /// Returns "rank 3" or "ranks 8-15".
  [[nodiscard]] std::string name(int line) const;

 private:
  int ranks_;
  int each_;
};

struct drawing {
  std::string title;
  int ranks = 1;
  /// The machine that gives the times. None: each message takes one time unit of its sender, one
  /// after the other.
  const machine* on = nullptr;
  transfer_rules rules;  ///< used with a machine
};

/// A drawn step. On shared lines it represents all steps of a kind between the same two lines in a
/// round, from the first begin to the last end, with the ranks of the first.
struct drawn_step {
  traced_step when;
  step what;
  /// For a send or a signal: the end of the first matching receive or await. Otherwise the end of
  /// the step.
  duration arrives;
  std::uint64_t count = 1;  ///< number of represented steps
};

/// Returns the steps of a drawing in the order of time. Throws `error` (argument) for more steps
/// than can be read, or gathered, and throws as price does.
[[nodiscard]] std::vector<drawn_step> drawn_steps(const drawing& of,
                                                  function_ref<generator(int rank)> schedule_of);

/// Returns an SVG document without external resources. Each arrow has a tooltip. Throws as
/// `drawn_steps`.
[[nodiscard]] std::string draw_svg(const drawing& of,
                                   function_ref<generator(int rank)> schedule_of);

}  // namespace upwash::schedule
