// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Teams of communicators that the program has freed: each goes when all its members say so, and
// nobody waits for that.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace upwash {
class job;
}  // namespace upwash

namespace upwash::mpi {

struct membership;

/// Of one process. A team's first member hears of each other's end, and tells all when the last has
/// come: two small messages a member. Memory: what was freed here and elsewhere not yet.
class freed_teams {
 public:
  explicit freed_teams(job& here);
  freed_teams(const freed_teams&) = delete;
  freed_teams& operator=(const freed_teams&) = delete;
  ~freed_teams();

  /// One that the program has freed, and that has a team. Local.
  void add(std::unique_ptr<membership> of);
  /// Tells of those of which nothing is under way here any more, and releases those that all
  /// members have told of, or that wait for nobody but this rank. Local: what it sends may be
  /// queued.
  void go_on();

  /// Of messages: at the first member, that one more is done with the team; at the others, that all
  /// are.
  void hear_one(std::uint64_t team);
  void hear_all(std::uint64_t team);

 private:
  [[nodiscard]] bool goes_now(std::unique_ptr<membership>& of);
  void tell(std::unique_ptr<membership> of);
  void end_where_all_have(std::uint64_t team);

  using memberships = std::vector<std::unique_ptr<membership>>;

  job& here_;
  memberships freed_;                                                    ///< not told of yet
  std::unordered_map<std::uint64_t, std::unique_ptr<membership>> told_;  ///< by team
  std::unordered_map<std::uint64_t, int> heard_;  ///< of teams of which this is the first member
  memberships over_;                              ///< at all members
};

}  // namespace upwash::mpi
