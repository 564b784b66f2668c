// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The teams of a rank and core's state for each.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>

#include "upwash/core/detail/rank_map.hpp"
#include "upwash/core/reach.hpp"
#include "upwash/core/team.hpp"
#include "upwash/core/team_memory.hpp"

namespace upwash::detail {

/// Returns the conduit's capabilities between these ranks. O(size) time, or O(1) if it serves all
/// alike.
[[nodiscard]] reach reach_between(const conduit::endpoint& at, const rank_map& members);

class team_state : public team_facts {
 public:
  team_state(job& home, std::uint64_t identity, rank_map members, int rank)
      : team_facts(home, identity, rank, members.size()), map_(std::move(members)) {
    show_members();
  }

  [[nodiscard]] const rank_map& map() const noexcept { return map_; }
  void forget_members() {
    map_ = rank_map();
    show_members();
  }

  std::uint32_t control_number = 0;  ///< control collectives called so far
  std::uint64_t barrier_epoch = 0;
  std::uint64_t memories = 0;  ///< team_memory objects made on it so far
  team_memory barrier_words;   ///< shared-memory barrier; made at the first barrier
  bool is_over = false;        ///< no member uses it any longer

  /// Returns the conduit's capabilities between the members, computed on first use.
  [[nodiscard]] const reach& between() {
    if (!between_.known()) [[unlikely]]
      find_between();
    return between_;
  }

 private:
  void find_between();
  void show_members() noexcept {
    first_world = map_.first();
    stride = map_.stride();
    listed = map_.listed();
  }

  rank_map map_;
  reach between_;
};

class team_table {
 public:
  explicit team_table(job& here);

  [[nodiscard]] team world() noexcept { return team_access::of(*world_); }
  team_state& add(std::uint64_t id, rank_map members);
  void remove(std::uint64_t id);
  /// Removes a team as `remove` does, but recognises copies of the handle until some other teams
  /// are released.
  void retire(std::uint64_t id);
  /// Returns the teams of this rank that are not released, by id.
  [[nodiscard]] const std::map<std::uint64_t, std::unique_ptr<team_state>>& all() const noexcept {
    return teams_;
  }
  /// Returns the id of a team that this rank creates.
  [[nodiscard]] std::uint64_t draw_id() noexcept;
  /// Counts uses of a provisional identity (team::subset), so that repeats differ.
  [[nodiscard]] std::uint32_t next_use(std::uint64_t provisional) { return uses_[provisional]++; }
  [[nodiscard]] std::uint32_t draw_region() noexcept { return ++regions_drawn_; }

 private:
  job& here_;
  std::map<std::uint64_t, std::unique_ptr<team_state>> teams_;
  std::deque<std::unique_ptr<team_state>> released_;  ///< the latest, without their members
  std::map<std::uint64_t, std::uint32_t> uses_;
  team_state* world_ = nullptr;
  std::uint32_t drawn_ = 0;
  std::uint32_t regions_drawn_ = 0;
};

}  // namespace upwash::detail

namespace upwash {

inline detail::team_state& team_access::state(const team& t) {
  if (t.facts_ == nullptr) [[unlikely]]
    t.refuse();
  return static_cast<detail::team_state&>(*t.facts_);  // no other code makes facts
}

inline team team_access::of(detail::team_state& state) noexcept { return team(state); }

}  // namespace upwash
