// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/two_level.hpp"

#include <algorithm>

namespace upwash::collective {

using schedule::buffer;
using schedule::generator;
using schedule::mark;
using schedule::never;
using schedule::piece;
using schedule::script;
using schedule::steps;

namespace {

enum counter : std::uint32_t { arrived, done, counters };

/// Groups as even as can be.
struct grouping {
  int ranks;
  int groups;

  [[nodiscard]] int first_of(int group) const noexcept {
    return group * (ranks / groups) + std::min(group, ranks % groups);
  }
  [[nodiscard]] int size_of(int group) const noexcept {
    return first_of(group + 1) - first_of(group);
  }
  [[nodiscard]] int group_of(int rank) const noexcept {
    const int larger = ranks / groups + 1;
    const int in_larger = ranks % groups * larger;
    if (rank < in_larger) return rank / larger;
    return ranks % groups + (rank - in_larger) / (ranks / groups);
  }
  /// How far the counter of its leader comes: all its members, and the leader itself.
  [[nodiscard]] std::uint64_t complete(int group) const noexcept {
    return static_cast<std::uint64_t>(size_of(group));
  }
};

steps barrier_in_two_levels(script& out, grouping of, int rank) {
  const int own = of.group_of(rank);
  const int leader = of.first_of(own);
  if (rank != leader) {
    co_yield out.signal(arrived).to(leader);
    co_yield out.await(done, 1).of_peer(leader);
    co_return;
  }
  mark all_here = never;
  if (of.complete(own) > 1) all_here = co_yield out.await(arrived, of.complete(own) - 1);
  if (of.groups > 1) co_yield out.signal(arrived).after(all_here);
  for (int group = 0; group < of.groups; ++group) {
    if (group == own) continue;
    all_here = co_yield out.await(arrived, of.complete(group))
                   .of_peer(of.first_of(group))
                   .in_round(1)
                   .after(all_here);
  }
  if (of.complete(own) > 1) co_yield out.signal(done).in_round(1).after(all_here);
}

/// Where vectors lie in the shared scratch of each member: its own, which at a leader becomes its
/// group's; and behind it the result, where there is more than one group.
struct two_level_places {
  two_level_call of;

  [[nodiscard]] piece contribution() const noexcept {
    return {of.in_place ? buffer::output : buffer::input, 0, of.bytes};
  }
  [[nodiscard]] piece output() const noexcept { return {buffer::output, 0, of.bytes}; }
  [[nodiscard]] piece laid_out(int member) const noexcept {
    return {buffer::shared, 0, of.bytes, member};
  }
  [[nodiscard]] piece result(int leader) const noexcept {
    return {buffer::shared, of.groups > 1 ? of.bytes : 0, of.bytes, leader};
  }
};

steps follow(script& out, two_level_places at, int leader) {
  const mark laid_out = co_yield out.copy(at.contribution(), at.laid_out(schedule::own));
  co_yield out.signal(arrived).to(leader).after(laid_out);
  const mark there = co_yield out.await(done, 1).of_peer(leader).in_round(1);
  co_yield out.copy(at.result(leader), at.output()).in_round(1).after(there);
}

schedule::local_step take_partial(script& out, const two_level_places& at, int from,
                                  bool is_first) {
  const piece result = at.result(schedule::own);
  if (is_first) return out.copy(at.laid_out(from), result);
  return out.reduce(result, at.laid_out(from), result);
}

steps lead(script& out, two_level_places at, grouping of, int own) {
  const int leader = of.first_of(own);
  mark combined = co_yield out.copy(at.contribution(), at.laid_out(schedule::own));
  mark all_here = never;
  if (of.complete(own) > 1) all_here = co_yield out.await(arrived, of.complete(own) - 1);
  for (int member = leader + 1; member < leader + of.size_of(own); ++member) {
    combined =
        co_yield out
            .reduce(at.laid_out(schedule::own), at.laid_out(member), at.laid_out(schedule::own))
            .after(combined, all_here);
    all_here = never;  // what follows waits for this one
  }
  if (of.groups > 1) {
    co_yield out.signal(arrived).after(combined);
    for (int group = 0; group < of.groups; ++group) {
      const int from = of.first_of(group);
      mark there = never;
      if (group != own) {
        there = co_yield out.await(arrived, of.complete(group)).of_peer(from).in_round(1);
      }
      combined = co_yield take_partial(out, at, group == own ? schedule::own : from, group == 0)
                     .in_round(1)
                     .after(there, combined);
    }
  }
  if (of.complete(own) > 1) co_yield out.signal(done).in_round(1).after(combined);
  co_yield out.copy(at.result(schedule::own), at.output()).in_round(1).after(combined);
}

}  // namespace

generator two_level_barrier(const two_level_call& of) {
  const grouping groups{of.ranks, of.groups};
  return {{.window = 2, .counters = counters},
          [=](script& out) { return barrier_in_two_levels(out, groups, of.rank); }};
}

std::uint64_t two_level_bytes(const two_level_call& of) noexcept {
  return of.bytes * (of.groups > 1 ? 2 : 1);
}

generator two_level_all_reduce(const two_level_call& of) {
  const grouping groups{of.ranks, of.groups};
  const int own = groups.group_of(of.rank);
  const int leader = groups.first_of(own);
  // What is combined waits for the look before it, and for what was combined before that.
  return {{.window = 3, .shared_bytes = two_level_bytes(of), .counters = counters},
          [=](script& out) {
            const two_level_places at{of};
            return of.rank == leader ? lead(out, at, groups, own) : follow(out, at, leader);
          }};
}

}  // namespace upwash::collective
