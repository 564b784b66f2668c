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

/// What is asked for in every call; the rest of a team is its team_state.
struct team_facts {
  team_facts(job& home, std::uint64_t identity, int rank, int members)
      : here(home), id(identity), my_rank(rank), size(members) {}
  team_facts(const team_facts&) = delete;
  team_facts& operator=(const team_facts&) = delete;

  job& here;
  const std::uint64_t id;
  const int my_rank;
  const int size;
  bool released = false;  ///< kept for a while only to be recognised in copies of the handle
  // World ranks of members: as the team's rank_map has them.
  int first_world = 0;
  int stride = 1;
  const int* listed = nullptr;  ///< null: by first and stride
};

}  // namespace detail

/// Levels of the machine at which ranks are grouped.
enum class level : std::uint8_t { process, socket, node, world };

class team {
 public:
  team() = default;  ///< No team: the result of a split for a rank that takes no part.

  [[nodiscard]] explicit operator bool() const noexcept { return facts_ != nullptr; }
  [[nodiscard]] job& here() const { return alive().here; }    ///< the job of this rank
  [[nodiscard]] int rank() const { return alive().my_rank; }  ///< mine, in the team
  [[nodiscard]] int size() const { return alive().size; }     ///< how many members
  /// Agreed by all members: (creator's world rank, creator's count), or made of what all know.
  [[nodiscard]] std::uint64_t id() const { return alive().id; }
  /// The world rank of a member. O(1).
  [[nodiscard]] int world_rank(int member) const {
    const detail::team_facts& facts = alive();
    if (member < 0 || member >= facts.size) [[unlikely]]
      refuse_member(member);
    return facts.listed == nullptr ? facts.first_world + member * facts.stride
                                   : facts.listed[member];
  }
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

  friend bool operator==(const team& a, const team& b) noexcept { return a.facts_ == b.facts_; }

 private:
  friend struct team_access;
  explicit team(detail::team_facts& facts) : facts_(&facts) {}
  /// Throws `error` (argument) for no team, and for one that was released.
  [[nodiscard]] const detail::team_facts& alive() const {
    if (facts_ == nullptr || facts_->released) [[unlikely]]
      refuse();
    return *facts_;
  }
  [[noreturn]] void refuse() const;
  [[noreturn]] void refuse_member(int member) const;

  detail::team_facts* facts_ = nullptr;
};

/// For layers above: the state behind a team (detail/team_table.hpp).
struct team_access {
  /// Throws `error` (argument) for no team; not for one that was released.
  static detail::team_state& state(const team& t);
  static team of(detail::team_state& state) noexcept;
};

}  // namespace upwash
