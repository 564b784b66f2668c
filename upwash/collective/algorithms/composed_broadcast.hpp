// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Problem: the root's bytes at all ranks, where ranks of a group (a node, a socket) are near. Idea:
// one rank stands for each group, the root for its own; any broadcast among those, and once it is
// over at such a rank any other inside its group. Cost: of the two. Restrictions: a group's ranks
// are consecutive; only the last may have fewer. Source: Nishtala et al. 2009, "leverage shared
// memory".
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "upwash/schedule/sequence.hpp"

namespace upwash::collective {

/// Where a rank stands in its group.
struct group_place {
  int ranks_per_group;
  int group;
  int first;       ///< rank of its group
  int size;        ///< ranks of its group
  int stands_for;  ///< the rank that stands for its group

  group_place(int ranks, int rank, int root, int each)
      : ranks_per_group(each),
        group(rank / each),
        first(group * each),
        size(std::min(each, ranks - first)),
        stands_for(root / each == group ? root : first) {}

  /// Those that stand for their groups.
  [[nodiscard]] schedule::members representatives(int root) const noexcept {
    return {.first = 0,
            .stride = ranks_per_group,
            .odd_position = root / ranks_per_group,
            .odd_rank = root};
  }
};

/// `Outer` runs among the ranks that stand for groups, by group; `Inner` among those of a group, by
/// place in it, in place. At a representative nothing of `Inner` is received.
template <schedule::algorithm Outer, schedule::algorithm Inner>
class composed_broadcast {
 public:
  composed_broadcast(const std::optional<Outer>& outer, const schedule::members& of_outer,
                     const Inner& inner, const schedule::members& of_inner)
      : outer_(outer), inner_(inner), of_outer_(of_outer), of_inner_(of_inner) {}

  bool next(schedule::step& out, schedule::tape& on) {
    if (outer_ && !outer_over_) {
      if (outer_->next(out, on)) {
        place(out, {.among = of_outer_}, on);
        return true;
      }
      out = {};
      outer_over_ = true;
      if constexpr (begins_where_told) return gate(out, on);
    }
    if (!inner_.next(out, on)) return false;
    if (!begins_where_told && outer_) {
      place_behind_all(out, {.among = of_inner_}, begun_, on);
    } else {
      place(out, {.among = of_inner_}, on);
    }
    return true;
  }
  [[nodiscard]] std::uint32_t window() const {
    return std::max<std::uint32_t>(outer_ ? outer_->window() : 0, inner_.window() + 1);
  }
  [[nodiscard]] std::uint64_t scratch_bytes() const {
    return std::max(outer_ ? outer_->scratch_bytes() : 0, inner_.scratch_bytes());
  }
  [[nodiscard]] bool edges_apart() const noexcept { return true; }
  [[nodiscard]] std::uint32_t counter_count() const {
    if constexpr (requires { inner_.counter_count(); }) return inner_.counter_count();
    return 0;
  }
  [[nodiscard]] std::uint64_t shared_bytes() const {
    if constexpr (requires { inner_.shared_bytes(); }) return inner_.shared_bytes();
    return 0;
  }
  [[nodiscard]] bool exposes_output() const {
    if constexpr (requires { inner_.exposes_output(); }) return inner_.exposes_output();
    return false;
  }

 private:
  /// It takes what it begins with from a mark on, without waiting for all there is.
  static constexpr bool begins_where_told = requires(Inner & inner) {
    inner.enter(schedule::mark{});
  };

  /// A step behind all of the outer part, for the inner one to begin with.
  bool gate(schedule::step& out, schedule::tape& on) {
    out.kind = schedule::step_kind::copy;
    out.after_all = true;
    on.emit(out);
    inner_.enter(on.latest());
    return true;
  }

  std::optional<Outer> outer_;
  Inner inner_;
  schedule::members of_outer_;
  schedule::members of_inner_;
  bool outer_over_ = false;
  schedule::mark begun_ = schedule::never;
};

}  // namespace upwash::collective
