// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How the calls of one place in a program travel. Source: Kumar 2005, chapter 6 (the communication
// framework: strategies, brackets, fences).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "upwash/core/team.hpp"

namespace upwash {

/// What the members' calls by a strategy were like since the last fence, in the mean over members
/// and brackets. The same at all members.
struct call_pattern {
  double degree = 0;  ///< members that a member calls, itself not counted
  double bytes = 0;   ///< for each of them
  int members = 0;    ///< that call at all
};

/// Carries calls between members of a team: messages as bytes, which are to run (`run_packed`,
/// core/packed_message.hpp) at their destination. Programs may have their own. One instance for
/// each place of a program that it serves, on each member; all member functions are called outside
/// handlers, but `insert` of one that is not bracketed, which may be called in one.
class strategy {
 public:
  strategy() = default;
  virtual ~strategy() = default;
  strategy(const strategy&) = delete;
  strategy& operator=(const strategy&) = delete;

  /// In reports.
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Whether it wants all of a member's calls before it sends any: objects then say where their
  /// calls begin and end, and `done_inserting` follows. Else calls go when they are inserted.
  [[nodiscard]] virtual bool bracketed() const = 0;

  /// At the beginning, and when the array is quiet: nothing is under way. Collective, may wait.
  virtual void at_fence(const team& among, const call_pattern& mean) = 0;

  /// A message for a member, which may be this one. It is copied. `priority`: the lower the sooner.
  virtual void insert(int member, std::span<const std::byte> message, int priority) = 0;
  /// One message for several, each once. By default one after the other.
  virtual void insert_for(std::span<const int> members, std::span<const std::byte> message,
                          int priority) {
    for (const int each : members) insert(each, message, priority);
  }
  /// All calls of a bracket of this member are inserted; every member says so once a bracket, one
  /// without objects too. Does not wait.
  virtual void done_inserting() {}

  /// Goes on with what is under way, without waiting; called in progress while it is `busy`.
  virtual void go_on() {}
  /// Whether `go_on` has something to do.
  [[nodiscard]] virtual bool busy() const { return false; }
};

/// Where calls by a strategy go whose object has moved since the last fence (when the array was
/// quiet). Source: Kumar 2005, 6.5.
enum class call_places : std::uint8_t {
  at_fence,  ///< where the object was then, which hands them on: one table for all calls until then
  as_heard   ///< where the caller's rank has heard that it is: a call that took a detour tells
};

/// Names a strategy that an array is bound to; plain, the same at all members.
struct strategy_id {
  strategy_id() = default;

  std::uint64_t number = 0;
};

}  // namespace upwash
