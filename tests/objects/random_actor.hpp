// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The objects of random programs (random_programs.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/objects/random_oracle.hpp"
#include "upwash/objects/aggregated.hpp"
#include "upwash/objects/future.hpp"
#include "upwash/objects/object_array.hpp"
#include "upwash/upwash.hpp"

namespace upwash::test::random_programs {

struct actor;
/// Passes calls on to actors.
struct desk : object<int> {
  using object::object;
  template <class A>
  void serialize(A& archive) {
    archive(sum);
  }
  void pass_on(array_id<actor> actors, name to, bits seed, int depth);
  bits sum = 0;
};

/// What actors need of the array that they are of, on each rank.
struct surroundings {
  const program* of = nullptr;
  int members = 0;
  strategy_id streamed;
  strategy_id bracketed;
  strategy_id multicast;
  std::vector<object_section<actor>> sections;
  std::vector<global_ptr<bits>> words;  ///< of all ranks
  array_id<actor> actors;
  array_id<desk> desks;
  array_id<desk> node_desks;
  std::vector<int> node_desk_of;  ///< each member's
};

/// Those of a rank.
class open_programs final : public service_base {
 public:
  explicit open_programs(job& /*here*/) {}

  std::map<std::uint64_t, surroundings> by_array;
  bits told = 0;      ///< by reductions to this rank
  bits expected = 0;  ///< of them
};

struct actor : object<name> {
  using object::object;
  actor(const site& at, bits begins_with) : object(at), newborn(true) { counted.sum = begins_with; }

  template <class A>
  void serialize(A& archive) {
    archive(counted, newborn, made, heard, questions, ballast);
  }

  // Calls of each way:
  void act(bits seed, int depth);
  /// The number-th of that caller; from 1.
  void act_in_order(name from, bits number, bits seed, int depth);
  void act_with_payload(std::vector<std::uint8_t> payload, bits seed, int depth);
  void act_with_span(std::span<const std::uint8_t> payload, bits seed, int depth);
  void act_and_ask(bits seed, int depth);
  void act_and_wait(bits seed, int depth);
  void act_and_get(bits seed, int depth);
  void act_aggregated(bits seed, int depth) { act(seed, depth); }
  void act_aggregated_span(std::span<const std::uint8_t> payload, bits seed, int depth) {
    act_with_span(payload, seed, depth);
  }
  using methods_that_wait = methods<&actor::act_and_ask, &actor::act_and_wait, &actor::act_and_get>;

  // Of those that wait:
  void ask(name from);
  void answer() { ++counted.answers; }
  void fulfil(promise<bits> answer, bits seed);

  /// The calls of a bracket, to objects or to sections.
  void act_in_bracket(bits seed, bool to_sections);
  void contribute_to(target to, bits seed, promise<bits> result);
  void contribute_in(int section, bits seed, promise<bits> result);
  void hear(bits result) { counted.hear(result); }
  void hear_all(std::vector<bits> results);
  /// Half of those that were born end.
  void thin_out(bits seed);
  void grow(bits bytes) { ballast.assign(bytes, static_cast<char>(index().number)); }

  void check_payload(std::span<const std::uint8_t> payload, bits seed);
  [[nodiscard]] const surroundings& where() const;

  tally counted;
  bool newborn = false;
  std::vector<std::pair<bits, bits>> made;   ///< numbered calls to each
  std::vector<std::pair<bits, bits>> heard;  ///< and of each
  bits questions = 0;
  std::vector<char> ballast;
};

/// Makes the call, by an actor or, where that is null, by a rank.
void make_call(const object_view<actor>& all, const surroundings& in, const call& one, int depth,
               actor* by);

/// A reduction's result for a rank.
void tell_rank(incoming& in, bits result);

}  // namespace upwash::test::random_programs
