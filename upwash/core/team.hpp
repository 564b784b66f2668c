// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Teams solve this problem: a part of the ranks wants to communicate among itself. A team is an
// ordered set of ranks: a handle of one rank, cheap to copy, valid until `release` or the end of
// the job. All members make collective calls in the same order. An empty handle has no members; its
// functions throw `error` (argument).
#pragma once

#include <cstdint>
#include <span>

#include "upwash/base/call_site.hpp"

namespace upwash {

class job;

namespace detail {

class team_state;

/// The facts that every call needs; the rest of a team is its team_state.
struct team_facts {
  team_facts(job& home, std::uint64_t identity, int rank, int members)
      : here(home), id(identity), my_rank(rank), size(members) {}
  team_facts(const team_facts&) = delete;
  team_facts& operator=(const team_facts&) = delete;

  job& here;
  const std::uint64_t id;
  const int my_rank;
  const int size;
  bool released = false;  ///< kept for a while to recognise copies of the handle
  // World ranks of members, as in the team's rank_map.
  int first_world = 0;
  int stride = 1;
  const int* listed = nullptr;  ///< null: by first and stride
};

}  // namespace detail

/// Levels of the machine at which ranks are grouped.
enum class level : std::uint8_t { process, socket, node, world };

class team {
 public:
  team() = default;  ///< An empty handle: the result of a split for a rank that takes no part.

  [[nodiscard]] explicit operator bool() const noexcept { return facts_ != nullptr; }
  [[nodiscard]] job& here() const { return alive().here; }    ///< the job of this rank
  [[nodiscard]] int rank() const { return alive().my_rank; }  ///< this rank's, in the team
  [[nodiscard]] int size() const { return alive().size; }     ///< number of members
  /// Returns the id. All members agreed on it: (creator's world rank, creator's count), or a number
  /// derived from common knowledge.
  [[nodiscard]] std::uint64_t id() const { return alive().id; }
  /// Returns the world rank of a member. O(1).
  [[nodiscard]] int world_rank(int member) const {
    const detail::team_facts& facts = alive();
    if (member < 0 || member >= facts.size) [[unlikely]]
      refuse_member(member);
    return facts.listed == nullptr ? facts.first_world + member * facts.stride
                                   : facts.listed[member];
  }
  /// Returns the member with this world rank, or -1.
  [[nodiscard]] int member_of(int world_rank) const;

  /// Splits the team: ranks of equal `color` form a team, ordered by `key`, then by rank in this
  /// team. A negative color gives no team. Collective, blocking. Messages: O(log size) a rank; 8
  /// bytes x size gathered.
  /// @code
  /// void rows_of_four(upwash::job& job) {
  ///   upwash::team row = job.world().split(job.rank() / 4, job.rank());
  ///   upwash::barrier(row, upwash::blocking);  // waits for at most four ranks
  ///   row.release();
  /// }
  /// @endcode
  [[nodiscard]] team split(int color, int key, call_site site = call_site::current()) const;

  /// Makes a team of the listed members (distinct ranks of this team, in the given order). Called
  /// by exactly these members. Blocking. Throws `error` (argument) for a list that is empty,
  /// repeats a rank, leaves the team, or lacks the caller.
  [[nodiscard]] team subset(std::span<const int> members,
                            call_site site = call_site::current()) const;

  /// Makes a team of the same members under a new identity. Collective, blocking.
  [[nodiscard]] team duplicate(call_site site = call_site::current()) const;

  /// Makes a team of the members in this rank's process, or on its socket or node. Collective,
  /// blocking. Messages: only those for the new identity.
  [[nodiscard]] team at(level where, call_site site = call_site::current()) const;
  /// Makes a team of the members on this rank's node: `at(level::node)`.
  [[nodiscard]] team node(call_site site = call_site::current()) const {
    return at(level::node, site);
  }
  /// Makes a team of the first member of each group at that level. The other members get an empty
  /// handle. Collective.
  [[nodiscard]] team leaders(level where, call_site site = call_site::current()) const;

  /// Frees the identity. Collective. Regions of the team must be freed before, and streams closed.
  /// Throws `error` (argument) while a stream is open on the team or an epoch of quiescence is
  /// under way. Not for the world.
  void release(call_site site = call_site::current());

  friend bool operator==(const team& a, const team& b) noexcept { return a.facts_ == b.facts_; }

 private:
  friend struct team_access;
  explicit team(detail::team_facts& facts) : facts_(&facts) {}
  /// Throws `error` (argument) for an empty handle and for a released team.
  [[nodiscard]] const detail::team_facts& alive() const {
    if (facts_ == nullptr || facts_->released) [[unlikely]]
      refuse();
    return *facts_;
  }
  [[noreturn]] void refuse() const;
  [[noreturn]] void refuse_member(int member) const;

  detail::team_facts* facts_ = nullptr;
};

/// For layers above: the state of a team (detail/team_table.hpp).
struct team_access {
  /// Throws `error` (argument) for an empty handle, but not for a released team.
  static detail::team_state& state(const team& t);
  static team of(detail::team_state& state) noexcept;
};

}  // namespace upwash
