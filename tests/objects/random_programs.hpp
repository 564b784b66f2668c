// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Programs of objects drawn from a seed: what each call does follows from its seed alone, wherever
// and whenever it runs, so a sequential program (random_oracle.hpp) knows what comes of it.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "upwash/base/random.hpp"

namespace upwash::test::random_programs {

using bits = std::uint64_t;

/// Of an actor. `born` is 0 of those that are there from the beginning.
struct name {
  std::uint32_t born = 0;
  std::uint32_t number = 0;

  friend auto operator<=>(const name&, const name&) = default;
  [[nodiscard]] bits word() const { return bits{born} << 32U | number; }
};

inline name first_name(bits number) { return {0, static_cast<std::uint32_t>(number)}; }
inline name name_of_birth(bits seed) {
  return {static_cast<std::uint32_t>(random_bits(seed, 1, 0)) | 1U,
          static_cast<std::uint32_t>(random_bits(seed, 1, 1))};
}

struct program {
  bits seed = 0;
  bits actors = 0;  ///< at the beginning
  int sections = 0;
  int depth = 0;  ///< of calls that beget calls
  bool ordered = false;
  bool births = false;
  bits most_bytes = 0;  ///< of a payload

  static program of(bits seed) {
    random_stream draws(seed, 2);
    program made{seed};
    made.actors = 5 + draws.below(16);
    made.sections = 2 + static_cast<int>(draws.below(3));
    made.depth = 2 + static_cast<int>(draws.below(2));
    made.ordered = draws.below(3) == 0;
    made.births = draws.below(2) == 0;
    made.most_bytes = draws.below(6) == 0 ? 1'000'000 : 30'000;
    return made;
  }

  /// Something that both sides draw alike, for `what` in an epoch.
  [[nodiscard]] bits draw(bits what, bits epoch = 0) const {
    return random_bits(seed, 100 + what, epoch);
  }
  [[nodiscard]] std::vector<name> members_of(int section) const {
    random_stream draws(seed, 200 + static_cast<bits>(section));
    std::vector<name> all;
    for (bits i = 0; i < actors; ++i) {
      if (draws.below(3) == 0) all.push_back(first_name(i));
    }
    if (all.empty()) all.push_back(first_name(0));
    return all;
  }
};

enum class way : std::uint8_t {
  plain,
  urgent,  ///< with a priority
  when_idle,
  later,  ///< by a timer
  with_payload,
  with_span,
  and_ask,     ///< its method waits for another object's answer,
  and_wait,    ///< for a future,
  and_get,     ///< for memory of another rank
  streamed,    ///< by a strategy
  aggregated,  ///< by a stream of the method's own
  aggregated_span,
  to_section,
  to_section_streamed,
  of_birth,  ///< of an object that is inserted, before or behind the call
  to_all,
  by_desk,       ///< through an object of another array: a group's,
  by_node_desk,  ///< or of a group with one object a node
  count
};

struct call {
  way by = way::plain;
  name to;
  bits seed = 0;
  bits bytes = 0;
  int section = 0;
  int priority = 0;
};

/// What a method does.
struct deed {
  bits adds = 0;
  std::vector<call> calls;
  bool moves = false;
  bits moves_to = 0;
};

inline way allowed(const program& in, way by, random_stream& draws) {
  const bool aggregates = by == way::aggregated || by == way::aggregated_span;
  // In ordered arrays it would hold up what comes behind it.
  const bool unordered = aggregates || by == way::when_idle;
  if (in.ordered && unordered) return way::plain;
  if (by == way::of_birth && !in.births) return way::plain;
  if (by == way::to_all && draws.below(4) != 0) return way::plain;
  return by;
}

inline call next_call(const program& in, random_stream& draws) {
  call made;
  made.by = allowed(in, static_cast<way>(draws.below(static_cast<bits>(way::count))), draws);
  made.to = first_name(draws.below(in.actors));
  made.seed = draws.next();
  made.section = static_cast<int>(draws.below(static_cast<bits>(in.sections)));
  made.priority = static_cast<int>(draws.below(21)) - 10;
  const bits size = draws.below(16);
  made.bytes = size == 0 ? 0 : size < 4 ? draws.below(in.most_bytes) : draws.below(200);
  return made;
}

/// `seed`: of the call, or what a rank begins with.
inline deed deed_of(const program& in, bits seed, int depth) {
  random_stream draws(seed, 3);
  deed does;
  does.adds = draws.next();
  does.moves = draws.below(3) == 0;
  does.moves_to = draws.next();
  if (depth == 0) return does;
  for (bits left = draws.below(4); left > 0; --left) does.calls.push_back(next_call(in, draws));
  return does;
}
/// The same call does to each object of a section something else.
inline deed deed_at(const program& in, const name& at, bits seed, int depth) {
  return deed_of(in, random_bits(seed, 4, at.word()), depth);
}

/// Of what a call of that way begets: calls of many beget few.
inline int depth_below(way by, int depth) {
  if (by == way::to_all || by == way::of_birth) return 0;
  if (by == way::to_section || by == way::to_section_streamed) return std::min(depth - 1, 1);
  return depth - 1;
}

/// The seeds of the calls that a rank begins an epoch with.
inline std::vector<bits> begun_by(const program& in, int rank, bits epoch) {
  random_stream draws(in.draw(1, epoch), static_cast<bits>(rank));
  std::vector<bits> all(1 + draws.below(3));
  for (bits& each : all) each = draws.next();
  return all;
}

/// A call that an actor makes between begin and end.
struct bracketed_call {
  name to;
  int section = 0;
  bits seed = 0;
};
inline std::vector<bracketed_call> bracket_of(const program& in, const name& by, bits seed) {
  random_stream draws(seed, by.word());
  std::vector<bracketed_call> all(seed % 4);
  for (bracketed_call& each : all) {
    each.to = first_name(draws.below(in.actors));
    each.section = static_cast<int>(draws.below(static_cast<bits>(in.sections)));
    each.seed = draws.next();
  }
  return all;
}

inline bits added_by_waiting(bits seed) { return random_bits(seed, 5, 0); }
inline name asked_by(const program& in, bits seed) {
  return first_name(random_bits(seed, 6, 0) % in.actors);
}
inline bits promised(bits seed) { return random_bits(seed, 7, 0); }
inline bits word_at(bits rank) { return random_bits(8, rank, 0); }
/// What an actor contributes to a reduction.
inline bits gift(const name& from, bits seed) { return random_bits(seed, 9, from.word()); }

inline std::uint8_t payload_byte(bits seed, bits at) {
  return static_cast<std::uint8_t>(random_bits(seed, 10, at / 8) >> (at % 8 * 8));
}
inline std::vector<std::uint8_t> payload_of(bits seed, bits bytes) {
  std::vector<std::uint8_t> all(bytes);
  for (bits i = 0; i < bytes; ++i) all[i] = payload_byte(seed, i);
  return all;
}

/// Where the result of a reduction goes, and by which operator.
enum class target : std::uint8_t {
  all,
  one,
  rank,
  future,
  section,
  vector_to_one,
  own_operator,
  count
};

}  // namespace upwash::test::random_programs
