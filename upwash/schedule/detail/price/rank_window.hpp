// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The steps of one rank that are under way, as an executor holds them: a window over what the
// generator emits, who waits for whom, and when all that a step waits for is done. Also where the
// rounds that repeat begin and end, so that the pricer can pass over them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/schedule/generator.hpp"

namespace upwash::schedule::detail {

using step_number = std::uint64_t;
inline constexpr step_number no_step = UINT64_MAX;

struct open_step {
  step what;
  duration ready;       ///< all that it waits for so far was done
  duration begun;       ///< its processor took it up
  duration done_at;     ///< once done
  std::uint32_t waits;  ///< for so many
  bool done = false;
  bool waits_for_all = false;
  bool ends_unit = false;  ///< the last step of some rounds that repeat; its phase:
  std::uint32_t phase = 0;
  std::uint64_t message = 0;  ///< receive: what came
  /// Those that wait for this: number * most_dependencies + which, plus 1; each names the next.
  std::uint64_t first_dependent = 0;
  std::array<std::uint64_t, step::most_dependencies> next_dependent{};

  /// All but the step as new.
  void begin(duration ready_at) noexcept {
    ready = ready_at;
    begun = done_at = {};
    waits = phase = 0;
    done = waits_for_all = ends_unit = false;
    message = first_dependent = 0;
  }
};

class rank_window {
 public:
  rank_window(const generator& steps, const facts& known, std::uint32_t least_steps)
      : steps_(steps), known_(known), size_(std::max(steps.window() + 1, least_steps)) {}

  [[nodiscard]] open_step& at(step_number n) { return ring_[n & (ring_.size() - 1)]; }
  [[nodiscard]] bool finished() const noexcept { return ended_ && base_ == next_; }
  [[nodiscard]] step_number base() const noexcept { return base_; }
  [[nodiscard]] step_number next() const noexcept { return next_; }
  [[nodiscard]] duration last_done() const noexcept { return last_done_; }

  /// Emits one step if there is room; its number, or no_step. It is ready at once if `waits` is 0.
  [[nodiscard]] step_number emit(std::uint32_t rounds_in_unit);
  /// Whether the step before the one emitted last ended a unit and was done already; since when.
  [[nodiscard]] std::optional<duration> ended_unit() { return std::exchange(ended_unit_, {}); }
  /// Marks a step done; `freed(number)` for each step that was waiting for it only.
  template <class Freed>
  void finish(step_number n, duration at, const Freed& freed);

  /// Puts off all that is under way.
  void shift(duration by);
  /// From the next boundary on `rounds` less.
  void skip(std::uint64_t rounds) { to_skip_ = rounds; }
  [[nodiscard]] std::uint64_t skipped() const noexcept { return skipped_; }
  /// Repeated rounds left at the last boundary seen; 0 outside of them.
  [[nodiscard]] std::uint64_t repeated_rounds_left() const noexcept { return rounds_left_; }
  [[nodiscard]] std::uint32_t phase() const noexcept { return phase_; }

 private:
  void see_boundary(std::uint32_t rounds_in_unit);
  void grow();
  void link(step_number n);

  generator steps_;
  facts known_;
  std::uint32_t size_;
  std::vector<open_step> ring_;
  step_number base_ = 0;
  step_number next_ = 0;
  duration before_base_;  ///< all steps before the base are done
  duration last_done_;
  bool ended_ = false;
  bool at_stage_ = false;
  std::uint32_t phase_ = 0;  ///< of rounds that repeat
  std::uint32_t rounds_seen_ = 0;
  std::optional<duration> ended_unit_;
  std::uint64_t rounds_left_ = 0;
  std::uint32_t edges_a_round_ = 1;
  std::uint32_t edge_shift_ = 0;  ///< of rounds passed over: all ranks pass over the same
  std::uint64_t to_skip_ = 0;
  std::uint64_t skipped_ = 0;
};

template <class Freed>
void rank_window::finish(step_number n, duration at, const Freed& freed) {
  open_step& s = this->at(n);
  s.done = true;
  s.done_at = at;
  last_done_ = std::max(last_done_, at);
  if (s.what.kind == step_kind::stage) at_stage_ = false;
  for (std::uint64_t link = s.first_dependent; link != 0;) {
    const step_number who = (link - 1) / step::most_dependencies;
    open_step& dependent = this->at(who);
    link = dependent.next_dependent[(link - 1) % step::most_dependencies];
    dependent.ready = std::max(dependent.ready, at);
    if (--dependent.waits == 0) freed(who);
  }
  for (; base_ < next_ && this->at(base_).done; ++base_) {
    before_base_ = std::max(before_base_, this->at(base_).done_at);
  }
  if (base_ == next_) return;
  open_step& oldest = this->at(base_);
  if (!oldest.waits_for_all) return;
  oldest.waits_for_all = false;
  oldest.ready = std::max(oldest.ready, before_base_);
  if (--oldest.waits == 0) freed(base_);
}

}  // namespace upwash::schedule::detail
