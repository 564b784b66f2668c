// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A strategy decides how the calls of one call site travel. Source: Kumar 2005, chapter 6 (the
// communication framework: strategies, brackets, fences).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "upwash/core/team.hpp"

namespace upwash {

/// The members' calls through a strategy since the last fence, as means over members and brackets.
/// The same at all members.
struct call_pattern {
  double degree = 0;  ///< members that a member calls, without itself
  double bytes = 0;   ///< bytes for each of them
  int members = 0;    ///< members that make calls
};

/// Carries calls between members of a team: messages as bytes, which `run_packed`
/// (core/packed_message.hpp) runs at their destination. Programs may have their own. Each member
/// has one instance for each call site that uses the strategy. All member functions are called
/// outside handlers, except `insert` of a strategy without brackets, which may be called in a
/// handler.
class strategy {
 public:
  strategy() = default;
  virtual ~strategy() = default;
  strategy(const strategy&) = delete;
  strategy& operator=(const strategy&) = delete;

  /// Returns the name, for reports.
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Returns whether the strategy needs all calls of a member before it sends any. Objects then
  /// declare the begin and end of their calls, and `done_inserting` follows. Otherwise calls leave
  /// when they are inserted.
  [[nodiscard]] virtual bool bracketed() const = 0;

  /// Called at the beginning and when the array is quiet, with no calls in progress. Collective,
  /// may wait.
  virtual void at_fence(const team& among, const call_pattern& mean) = 0;

  /// Adds a message for a member, which may be this one. Copies the message. `priority`: a lower
  /// value is delivered earlier.
  virtual void insert(int member, std::span<const std::byte> message, int priority) = 0;
  /// Adds one message for several members, once for each. By default one after the other.
  virtual void insert_for(std::span<const int> members, std::span<const std::byte> message,
                          int priority) {
    for (const int each : members) insert(each, message, priority);
  }
  /// Ends the insertions of a bracket at this member. Every member calls it once a bracket, also a
  /// member without objects. Does not wait.
  virtual void done_inserting() {}

  /// Continues the transfers in progress without waiting. Called in progress while `busy` is true.
  virtual void go_on() {}
  /// Returns whether `go_on` has work.
  [[nodiscard]] virtual bool busy() const { return false; }
};

/// The destination of calls through a strategy if the object has moved since the last fence (when
/// the array was quiet). Source: Kumar 2005, 6.5.
enum class call_places : std::uint8_t {
  at_fence,  ///< the object's member at the fence, which forwards the call: one table for all calls
  as_heard   ///< the latest known member of the object; a call that took a detour reports it
};

/// Names a strategy that an array is bound to. Plain; the same at all members.
struct strategy_id {
  strategy_id() = default;

  std::uint64_t number = 0;
};

}  // namespace upwash
