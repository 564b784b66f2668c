// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Who is to have which object, from what was measured of them: the strategies of
// `object_array::balance`, and what one of a program's own sees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/objects/detail/object_key.hpp"

namespace upwash::balancing {

/// What an array measures of its objects, from one balancing to the next.
enum class measure : std::uint8_t {
  nothing,         ///< each object then counts as a microsecond
  time,            ///< in methods, on the clock of the rank: two looks at it a call
  time_and_calls,  ///< also which objects of the array its methods call, with how many bytes
};

/// What a member says of itself when it balances.
struct share {
  double speed = 1;          ///< against others: 2 does a piece of work in half the time
  duration background = {};  ///< work beside the methods of the array, in the time measured
};

struct member {
  double speed = 1;
  double background_ns = 0;
};

class placed_object {
 public:
  /// An object at a member, and what it takes there.
  placed_object(const objects::object_key& key, int at, double work)
      : member(at), work_ns(work), key_(key) {}

  /// Index: the array's.
  template <objects::object_index Index>
  [[nodiscard]] Index index() const noexcept {
    return key_.as<Index>();
  }
  /// The index as layers name it.
  [[nodiscard]] const objects::object_key& key() const noexcept { return key_; }

  int member;      ///< where it is
  double work_ns;  ///< time in its methods, as a member of speed 1 takes it

 private:
  objects::object_key key_;
};

/// What one object called of another. Positions among the objects.
struct edge {
  std::size_t from = 0;
  std::size_t to = 0;
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;  ///< of arguments
};

struct problem {
  std::vector<member> members;
  std::vector<placed_object> objects;
  std::vector<edge> edges;

  /// Where all are now.
  [[nodiscard]] std::vector<int> mapping() const;
  /// How long each member takes with these objects, without what calls cost, in ns.
  [[nodiscard]] std::vector<double> times(std::span<const int> mapping) const;
  /// The most of `times`.
  [[nodiscard]] double longest(std::span<const int> mapping) const;
};

/// Runs at member 0 of the team: a member for each object, in the order of the problem. What it
/// throws is thrown at all members.
class strategy {
 public:
  virtual ~strategy() = default;
  /// The member where each object is to be. At member 0; must not communicate.
  [[nodiscard]] virtual std::vector<int> place(const problem& given) const = 0;
};

/// The heaviest object first to the member that would be done with it first. On m equal members
/// without background at most 4/3 - 1/(3m) of the shortest time (Graham 1969), and never longer
/// than now: else all stay, as objects without work do. O(n log n + n s log m) for s speeds.
class greedy final : public strategy {
 public:
  [[nodiscard]] std::vector<int> place(const problem& given) const override;
};

/// Moves few: objects of the member that takes longest go to the one that is done first, until all
/// are within `tolerance` of the least that is possible, or no single move helps. Never longer than
/// now; on m equal members at most the larger of `tolerance` and 2 - 2/(m+1) times the shortest
/// (Finn and Horowitz 1979).
class refine final : public strategy {
 public:
  /// Throws `error` (argument) for a tolerance below 1.
  explicit refine(double tolerance = 1.05);
  [[nodiscard]] std::vector<int> place(const problem& given) const override;

 private:
  double tolerance_;
};

/// All to the next member: for tests of programs.
class rotate final : public strategy {
 public:
  [[nodiscard]] std::vector<int> place(const problem& given) const override;
};

/// Anywhere, by seed and index alone.
class random final : public strategy {
 public:
  /// Equal seeds give equal places.
  explicit random(std::uint64_t seed) : seed_(seed) {}
  [[nodiscard]] std::vector<int> place(const problem& given) const override;

 private:
  std::uint64_t seed_;
};

/// What a call between members costs each of the two.
struct call_cost {
  duration call = duration::from_ns(500);
  duration kilobyte = duration::from_ns(100);
};

/// Greedy, where a member also pays for the calls of its objects to and from others: the heaviest
/// object first to whichever is done first with it, of the least loaded members and those of the
/// objects that it calls or that call it. Source: GreedyCommLB of Charm++. Never longer than now,
/// calls counted. O(n log n + (n s + e) log m).
class communication_aware final : public strategy {
 public:
  /// With calls that cost so much.
  explicit communication_aware(call_cost cost = {}) : cost_(cost) {}
  [[nodiscard]] std::vector<int> place(const problem& given) const override;
  /// As problem::longest, with what calls between members cost.
  [[nodiscard]] double longest(const problem& given, std::span<const int> mapping) const;

 private:
  [[nodiscard]] double cost_of(const edge& calls) const;

  call_cost cost_;
};

/// The same at all members. Times are of the longest member and the mean of all: measured before,
/// predicted after.
struct result {
  std::uint64_t objects = 0;
  std::uint64_t moved = 0;
  duration longest_before;
  duration mean_before;
  duration longest_after;
  duration mean_after;
  std::uint64_t bytes_before = 0;  ///< of calls between members, where calls are measured
  std::uint64_t bytes_after = 0;
};

}  // namespace upwash::balancing
