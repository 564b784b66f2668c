// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Teams: ordered sets of ranks. A team is a handle of one rank, cheap to copy, valid until
// `release` or the end of the job. Collective calls are made by all members in the same order.
// An empty handle has no members: what asks it for anything throws `error` (argument).
#pragma once

#include <cstdint>
#include <span>

#include "upwash/base/call_site.hpp"

namespace upwash {

class job;

namespace detail {
class team_state;
}

/// Levels of the machine at which ranks are grouped.
enum class level : std::uint8_t { process, socket, node, world };

class team {
 public:
  team() = default;  ///< No team: the result of a split for a rank that takes no part.

  [[nodiscard]] explicit operator bool() const noexcept { return state_ != nullptr; }
  [[nodiscard]] job& here() const;  ///< the job of this rank
  [[nodiscard]] int rank() const;   ///< mine, in the team
  [[nodiscard]] int size() const;   ///< how many members
  /// Agreed by all members: (creator's world rank, creator's count).
  [[nodiscard]] std::uint64_t id() const;
  /// The world rank of a member. O(1).
  [[nodiscard]] int world_rank(int member) const;
  /// The member with this world rank, or -1.
  [[nodiscard]] int member_of(int world_rank) const;

  /// Ranks of equal `color` form a team, ordered by `key`, then by rank here. A negative color:
  /// no team. Collective, blocking. Messages: O(log size) a rank; 8 bytes x size gathered.
  [[nodiscard]] team split(int color, int key, call_site site = call_site::current()) const;

  /// The members listed (ranks of this team, distinct, in the order given). Called by exactly
  /// those. Blocking. Throws `error` (argument) for a list that is empty, repeats, leaves the
  /// team, or lacks the caller.
  [[nodiscard]] team subset(std::span<const int> members,
                            call_site site = call_site::current()) const;

  /// The same members under a new identity. Collective, blocking.
  [[nodiscard]] team duplicate(call_site site = call_site::current()) const;

  /// The members in my process, or on my socket or node. Collective, blocking. No messages but the
  /// new identity's.
  [[nodiscard]] team at(level where, call_site site = call_site::current()) const;
  /// The members on my node: `at(level::node)`.
  [[nodiscard]] team node(call_site site = call_site::current()) const {
    return at(level::node, site);
  }
  /// The first member of each group at that level; no team for the others. Collective.
  [[nodiscard]] team leaders(level where, call_site site = call_site::current()) const;

  /// Frees the identity. Collective; regions of the team must be freed before, streams closed:
  /// throws `error` (argument) while one is open on it, or an epoch of quiescence under way. Not
  /// the world.
  void release(call_site site = call_site::current());

  friend bool operator==(const team& a, const team& b) noexcept { return a.state_ == b.state_; }

 private:
  friend class detail::team_state;
  friend struct team_access;
  explicit team(detail::team_state& state) : state_(&state) {}
  /// Throws `error` (argument) for no team.
  [[nodiscard]] detail::team_state& state() const {
    if (state_ == nullptr) [[unlikely]]
      refuse();
    return *state_;
  }
  [[noreturn]] static void refuse();

  detail::team_state* state_ = nullptr;
};

/// For layers above: the state behind a team.
struct team_access {
  static detail::team_state& state(const team& t) { return t.state(); }
  static team of(detail::team_state& state) noexcept { return team(state); }
};

}  // namespace upwash
