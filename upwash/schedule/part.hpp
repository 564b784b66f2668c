// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Schedules made of parts: a coroutine goes through others, which are written for positions 0, 1,
// ... of their own; here their steps get the team's ranks, edges beside those of other parts, and
// an entry.
//
//   part inside(out, tree_broadcast(out, ...), {.among = {.first = first_of_node}});
//   co_await inside.all();
//
// What is done again and again (the same work for each segment) is one coroutine for each time:
// their memory is used again.
#pragma once

#include <coroutine>
#include <cstdint>
#include <utility>

#include "upwash/schedule/script.hpp"

namespace upwash::schedule {

/// Some ranks of a team, by position: evenly spaced, but for one that may be elsewhere (the root
/// stands for its node).
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

/// How a part lies in the whole.
struct embedding {
  members among{};
  /// All but the odd one, by position, where they are not evenly spaced. Outlives the schedule.
  const int* listed = nullptr;
  std::uint32_t first_edge = 0;
  std::uint32_t first_round = 0;
  mark entry = never;  ///< steps of the part that wait for nothing wait for this
  /// The rank's own output of the part begins there in the whole, in another buffer perhaps: then
  /// the part places nothing.
  std::uint64_t output_at = 0;
  buffer output_in = buffer::output;
  /// Receives do not wait for the entry: what comes lies where nothing else has to do.
  bool receives_at_once = false;
  /// The part begins when all emitted before it is done: its first step waits for that, and the
  /// others that wait for nothing wait for the first, so that none of them runs ahead.
  bool behind_all = false;

  [[nodiscard]] constexpr int rank_of(int position) const noexcept {
    const bool is_listed = listed != nullptr && position != among.odd_position;
    return is_listed ? listed[position] : among.rank_of(position);
  }
  friend constexpr bool operator==(const embedding&, const embedding&) = default;
};

/// Makes the step that a part has just emitted one of the whole.
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

/// The same, where the part's first step may have to wait for all; the others then wait for it.
inline void place_next(step& s, embedding& as, const tape& on) noexcept {
  if (as.behind_all) {
    s.after_all = true;
    as.entry = on.latest();
    as.behind_all = false;
  }
  place(s, as, on);
}

/// A coroutine that another one goes through. It is a local variable of that one.
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

  /// Awaited: all its steps are emitted.
  [[nodiscard]] run all() noexcept { return {*this, false}; }
  /// Awaited: its next step is emitted; false: there was none.
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
  bool stays_;  ///< its steps are those of the whole as they are
  bool stepwise_ = false;
  std::coroutine_handle<> parent_;
  part* outside_ = nullptr;            ///< what it is a part of, if that is a part
  std::coroutine_handle<> innermost_;  ///< these two: where it stands, while it is not gone through
  part* in_;
};

}  // namespace upwash::schedule
