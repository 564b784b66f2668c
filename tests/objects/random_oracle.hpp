// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What comes of a random program of objects, found by a stack instead of messages. Each rank runs
// it for all.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "tests/objects/random_programs.hpp"

namespace upwash::test::random_programs {

/// What an actor counts.
struct tally {
  bits sum = 0;
  bits calls = 0;
  bits asked = 0;
  bits answers = 0;
  bits results = 0;  ///< of reductions
  bits result_sum = 0;

  template <class A>
  void serialize(A& archive) {
    archive(sum, calls, asked, answers, results, result_sum);
  }
  friend bool operator==(const tally&, const tally&) = default;

  void hear(bits result) {
    ++results;
    result_sum += result;
  }
};

class oracle {
 public:
  explicit oracle(const program& of) : of_(of) {
    for (bits i = 0; i < of.actors; ++i) all[first_name(i)] = {};
  }

  void make(const call& one, int depth) {
    const int below = depth_below(one.by, depth);
    switch (one.by) {
      case way::to_section:
      case way::to_section_streamed: return make_all(of_.members_of(one.section), one.seed, below);
      case way::to_all: return broadcasts_.push_back(one.seed);
      case way::of_birth: {
        const name born = name_of_birth(one.seed);
        all[born].sum += one.seed;
        newborn.insert(born);
        return open_.push_back({born, with_seed(one.seed), 0});
      }
      case way::by_desk:
      case way::by_node_desk: desks += one.seed; [[fallthrough]];
      default: open_.push_back({one.to, one, below});
    }
  }
  /// Of the actors that are there when it begins.
  void make_brackets(bits seed, bool of_sections) {
    for (const auto& [at, one] : all) {
      if (newborn.contains(at)) continue;
      for (const bracketed_call& each : bracket_of(of_, at, seed)) {
        if (of_sections) {
          make_all(of_.members_of(each.section), each.seed, 1);
        } else {
          open_.push_back({each.to, with_seed(each.seed), 1});
        }
      }
    }
  }
  void run() {
    while (!open_.empty()) {
      const waiting next = open_.back();
      open_.pop_back();
      run(next);
    }
    // They reach those that are born meanwhile, too, and beget nothing.
    for (const bits seed : std::exchange(broadcasts_, {})) {
      for (auto& [at, one] : all) {
        one.sum += deed_at(of_, at, seed, 0).adds;
        ++one.calls;
      }
    }
  }

  /// What they contribute comes to.
  [[nodiscard]] bits sum_of_gifts(bits seed) const {
    bits sum = 0;
    for (const auto& [at, one] : all) sum += gift(at, seed);
    return sum;
  }
  [[nodiscard]] bits sum_of_gifts(bits seed, int section) const {
    bits sum = 0;
    for (const name& at : of_.members_of(section)) sum += gift(at, seed);
    return sum;
  }
  /// By the operator of the tests' own.
  [[nodiscard]] bits parity_of_gifts(bits seed) const {
    bits parity = 0;
    for (const auto& [at, one] : all) parity ^= gift(at, seed);
    return parity;
  }
  void tell_all(bits result) {
    for (auto& [at, one] : all) one.hear(result);
  }
  void tell_section(int section, bits result) {
    for (const name& at : of_.members_of(section)) all[at].hear(result);
  }

  std::map<name, tally> all;
  std::set<name> newborn;  ///< since the last fence
  bits desks = 0;          ///< sum of what desks pass on

 private:
  struct waiting {
    name at;
    call made;
    int depth;
  };

  static call with_seed(bits seed) {
    call made;
    made.seed = seed;
    return made;
  }
  void make_all(const std::vector<name>& at, bits seed, int depth) {
    for (const name& each : at) open_.push_back({each, with_seed(seed), depth});
  }
  void run(const waiting& next) {
    const way by = next.made.by;
    const deed does = deed_at(of_, next.at, next.made.seed, next.depth);
    tally& at = all[next.at];
    at.sum += does.adds;
    ++at.calls;
    if (by == way::with_payload || by == way::with_span || by == way::aggregated_span) {
      at.sum += next.made.bytes;
    }
    if (by == way::and_ask || by == way::and_wait || by == way::and_get) {
      at.sum += added_by_waiting(next.made.seed);
    }
    if (by == way::and_ask) ++at.answers;
    if (by == way::and_ask || by == way::and_wait) ++all[asked_by(of_, next.made.seed)].asked;
    for (const call& each : does.calls) make(each, next.depth);
  }

  const program& of_;
  std::vector<waiting> open_;
  std::vector<bits> broadcasts_;
};

}  // namespace upwash::test::random_programs
