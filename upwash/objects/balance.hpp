// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Moves objects to members by their measured work: the strategies of `object_array::balance` and
// the data that a program's own strategy gets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/objects/detail/object_key.hpp"

namespace upwash::balancing {

/// The measurements of an array's objects between two balancings.
enum class measure : std::uint8_t {
  nothing,         ///< none: each object counts as one microsecond
  time,            ///< time in methods, on the rank's clock: two clock reads a call
  time_and_calls,  ///< also the objects of the array that its methods call, and the bytes
};

/// A member's own data for a balancing.
struct share {
  double speed = 1;          ///< relative to other members: 2 does the work in half the time
  duration background = {};  ///< other work in the measured time, outside the array's methods
};

struct member {
  double speed = 1;
  double background_ns = 0;
};

class placed_object {
 public:
  /// An object at member `at` that takes `work` ns there.
  placed_object(const objects::object_key& key, int at, double work)
      : member(at), work_ns(work), key_(key) {}

  /// Returns the index. `Index` is the array's index type.
  template <objects::object_index Index>
  [[nodiscard]] Index index() const noexcept {
    return key_.as<Index>();
  }
  /// Returns the index in the form that layers use.
  [[nodiscard]] const objects::object_key& key() const noexcept { return key_; }

  int member;      ///< current member
  double work_ns;  ///< time in its methods at a member of speed 1

 private:
  objects::object_key key_;
};

/// The calls from one object to another. `from` and `to` are positions in `problem::objects`.
struct edge {
  std::size_t from = 0;
  std::size_t to = 0;
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;  ///< of the arguments
};

struct problem {
  std::vector<member> members;
  std::vector<placed_object> objects;
  std::vector<edge> edges;

  /// Returns the current member of each object.
  [[nodiscard]] std::vector<int> mapping() const;
  /// Returns the time of each member with this mapping in ns, without the cost of calls.
  [[nodiscard]] std::vector<double> times(std::span<const int> mapping) const;
  /// Returns the largest of `times`.
  [[nodiscard]] double longest(std::span<const int> mapping) const;
};

/// A strategy: assigns a member to each object, in the order of the problem. Runs at member 0 of
/// the team. An exception of the strategy is thrown at all members.
class strategy {
 public:
  virtual ~strategy() = default;
  /// Returns the new member of each object. Called at member 0; must not communicate.
  [[nodiscard]] virtual std::vector<int> place(const problem& given) const = 0;
};

/// Assigns the heaviest object first, to the member that would finish it first. On m equal members
/// without background the longest time is at most 4/3 - 1/(3m) of the optimum (Graham 1969). The
/// result is never slower than the current mapping: otherwise all objects stay. Objects without
/// work stay. O(n log n + n s log m) for s speeds.
class greedy final : public strategy {
 public:
  [[nodiscard]] std::vector<int> place(const problem& given) const override;
};

/// Moves few objects, from the slowest member to the member that finishes first. Stops when all are
/// within `tolerance` of the least possible time, or when no single move helps. Never slower than
/// the current mapping. On m equal members the longest time is at most the larger of `tolerance`
/// and 2 - 2/(m+1) times the optimum (Finn and Horowitz 1979).
class refine final : public strategy {
 public:
  /// Throws `error` (argument) for a tolerance below 1.
  explicit refine(double tolerance = 1.05);
  [[nodiscard]] std::vector<int> place(const problem& given) const override;

 private:
  double tolerance_;
};

/// Moves all objects to the next member; for tests of programs.
class rotate final : public strategy {
 public:
  [[nodiscard]] std::vector<int> place(const problem& given) const override;
};

/// Assigns members that depend only on seed and index.
class random final : public strategy {
 public:
  /// Equal seeds give equal members.
  explicit random(std::uint64_t seed) : seed_(seed) {}
  [[nodiscard]] std::vector<int> place(const problem& given) const override;

 private:
  std::uint64_t seed_;
};

/// The cost of a call between two members, for each of the two.
struct call_cost {
  duration call = duration::from_ns(500);
  duration kilobyte = duration::from_ns(100);
};

/// Greedy with communication costs: a member also pays for the calls between its objects and those
/// of other members. Assigns the heaviest object first, to the member that finishes it first. The
/// candidates are the least loaded members and those of the objects that it calls or is called by.
/// Never slower than the current mapping, with calls counted. O(n log n + (n s + e) log m). Source:
/// GreedyCommLB of Charm++.
class communication_aware final : public strategy {
 public:
  /// `cost`: of a call between two members.
  explicit communication_aware(call_cost cost = {}) : cost_(cost) {}
  [[nodiscard]] std::vector<int> place(const problem& given) const override;
  /// Returns problem::longest, with the cost of calls between members.
  [[nodiscard]] double longest(const problem& given, std::span<const int> mapping) const;

 private:
  [[nodiscard]] double cost_of(const edge& calls) const;

  call_cost cost_;
};

/// The result of a balancing, the same at all members. Times are those of the longest member and
/// the mean of all members: measured before, predicted after.
struct result {
  std::uint64_t objects = 0;
  std::uint64_t moved = 0;
  duration longest_before;
  duration mean_before;
  duration longest_after;
  duration mean_after;
  std::uint64_t bytes_before = 0;  ///< of calls between members, if calls are measured
  std::uint64_t bytes_after = 0;
};

}  // namespace upwash::balancing
