// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Schedules made of parts: a coroutine runs other coroutines, which are written for positions 0, 1,
// ... of their own. Here their steps get ranks of the team, separate edge numbers, and an entry.
//
//   part inside(out, tree_broadcast(out, ...), {.among = {.first = first_of_node}});
//   co_await inside.all();
//
// Repeated work (the same for each segment) uses one coroutine for each repetition, which reuse the
// same memory.
#pragma once

#include <coroutine>
#include <cstdint>
#include <utility>

#include "upwash/schedule/script.hpp"

namespace upwash::schedule {

/// Some ranks of a team, by position: evenly spaced, except one that may lie elsewhere (the root
/// represents its node).
struct members {
  int first = 0;
  int stride = 1;
  int odd_position = -1;
  int odd_rank = -1;

  [[nodiscard]] constexpr int rank_of(int position) const noexcept {
    return position == odd_position ? odd_rank : first + position * stride;
  }
  friend constexpr bool operator==(const members&, const members&) = default;
};

/// The position of a part in the whole schedule.
struct embedding {
  members among{};
  /// All ranks except the odd one, by position, if they are not evenly spaced. Outlives the
  /// schedule.
  const int* listed = nullptr;
  std::uint32_t first_edge = 0;
  std::uint32_t first_round = 0;
  mark entry = never;  ///< steps of the part without other dependencies wait for this
  /// Offset of the rank's own output of the part in the whole, perhaps in another buffer. The part
  /// then places no edge.
  std::uint64_t output_at = 0;
  buffer output_in = buffer::output;
  /// Receives do not wait for the entry: no other step uses their destination.
  bool receives_at_once = false;
  /// The part begins when all earlier steps are complete. Its first step waits for them. Its other
  /// steps without dependencies wait for the first, so none runs ahead.
  bool behind_all = false;

  [[nodiscard]] constexpr int rank_of(int position) const noexcept {
    const bool is_listed = listed != nullptr && position != among.odd_position;
    return is_listed ? listed[position] : among.rank_of(position);
  }
  friend constexpr bool operator==(const embedding&, const embedding&) = default;
};

/// Converts a step that a part has just emitted to a step of the whole.
inline void place(step& s, const embedding& as, const tape& on) noexcept {
  for (int* rank : {&s.peer, &s.left.owner, &s.right.owner, &s.into.owner}) {
    if (*rank != own) *rank = as.rank_of(*rank);
  }
  for (piece* p : {&s.left, &s.right, &s.into}) {
    if (p->of != buffer::output || p->owner != own) continue;
    p->of = as.output_in;
    p->offset += as.output_at;
  }
  const bool counts = s.kind == step_kind::signal || s.kind == step_kind::await;
  if (!counts) s.edge += as.first_edge;
  s.round += as.first_round;
  const bool waits = s.after_all || s.after != decltype(s.after){} ||
                     (as.receives_at_once && s.kind == step_kind::receive);
  if (!waits && as.entry != never) s.after[0] = static_cast<std::uint32_t>(on.latest() - as.entry);
}

/// Places a step. If the part's first step must wait for all earlier ones, the following steps then
/// wait for it.
inline void place_next(step& s, embedding& as, const tape& on) noexcept {
  if (as.behind_all) {
    s.after_all = true;
    as.entry = on.latest();
    as.behind_all = false;
  }
  place(s, as, on);
}

/// A coroutine that another coroutine runs. It is a local variable of that coroutine.
class part {
 public:
  part(script& of, steps&& inner, const embedding& as = {}) noexcept
      : of_(of),
        inner_(std::move(inner)),
        as_(as),
        stays_(as == embedding{}),
        innermost_(inner_.where()),
        in_(this) {}
  part(const part&) = delete;
  part& operator=(const part&) = delete;

  struct run {
    part& of;
    bool stepwise;
    [[nodiscard]] bool await_ready() const noexcept { return of.inner_.ended(); }
    void await_suspend(std::coroutine_handle<> parent) const noexcept {
      of.enter(parent, stepwise);
    }
    bool await_resume() const noexcept { return !of.inner_.ended(); }
  };

  /// Awaitable: emits all steps of the part.
  [[nodiscard]] run all() noexcept { return {*this, false}; }
  /// Awaitable: emits the next step; the result is false if there was none.
  [[nodiscard]] run one() noexcept { return {*this, true}; }

 private:
  friend class script;

  void enter(std::coroutine_handle<> parent, bool stepwise) noexcept {
    parent_ = parent;
    outside_ = of_.in_;
    stepwise_ = stepwise;
    of_.innermost_ = innermost_;
    of_.in_ = in_;
  }

  script& of_;
  steps inner_;
  embedding as_;
  bool stays_;  ///< its steps are steps of the whole without changes
  bool stepwise_ = false;
  std::coroutine_handle<> parent_;
  part* outside_ = nullptr;            ///< the enclosing part, or null
  std::coroutine_handle<> innermost_;  ///< with in_: the current position while the part is
                                       ///< suspended
  part* in_;
};

}  // namespace upwash::schedule
