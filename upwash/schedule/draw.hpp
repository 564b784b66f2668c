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

struct drawing {
  std::string title;
  int ranks = 1;
  /// Time on this machine; none: each message takes a unit of its sender, one behind the other.
  const machine* on = nullptr;
  transfer_rules rules;  ///< with a machine
};

struct drawn_step {
  traced_step when;
  step what;
  /// Of a send or a signal: when the first receive or await that fits is done with it; else when it
  /// is done itself.
  duration arrives;
  std::uint64_t count = 1;  ///< of steps that it stands for
};

/// What a drawing shows, in the order of time. Throws `error` (argument) for more ranks or steps
/// than can be read, and what price throws.
[[nodiscard]] std::vector<drawn_step> drawn_steps(const drawing& of,
                                                  function_ref<generator(int rank)> schedule_of);

/// An SVG document without outer resources. Each arrow has a tooltip. Throws `error` (argument) for
/// more steps than can be read, or gathered, and what price throws.
[[nodiscard]] std::string draw_svg(const drawing& of,
                                   function_ref<generator(int rank)> schedule_of);

}  // namespace upwash::schedule
