// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An object with what travels beside its own state, and a call of one of its methods.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "upwash/objects/detail/measurements.hpp"
#include "upwash/objects/detail/object_key.hpp"

namespace upwash {
class job;
}

namespace upwash::objects {

class array_core;
class element;
struct awaited_condition;

/// What travels with each call. 40 bytes.
struct envelope {
  std::uint64_t array = 0;
  std::uint64_t caller = 0;     ///< object, or rank, that calls; stays the same wherever that goes
  std::uint64_t number = 0;     ///< of the caller's calls to this object, from 1; 0: in any order
  std::uint64_t broadcast = 0;  ///< its number, from 1; 0: for this object only
  std::int32_t from = -1;       ///< member that is to hear where the object was found
  std::int16_t priority = 0;    ///< the lower the sooner
  std::uint8_t hops = 0;        ///< at most `most_hops`, however many there were
  std::uint8_t strategy = 0;    ///< that carries it, until it has arrived; 0: none

  static constexpr std::uint8_t most_hops = 255;
};

/// In an envelope's `caller`: a section's object is called, which may have ended.
inline constexpr std::uint64_t by_section = std::uint64_t{1} << 62U;

/// What most calls of one object need of an envelope: it leaves room for arguments in the line of a
/// message. 16 bytes.
struct brief_envelope {
  /// None where the caller counts.
  [[nodiscard]] static std::optional<brief_envelope> of(const envelope& all) noexcept {
    if (all.number != 0 || (all.caller & by_section) != 0) return std::nullopt;
    return brief_envelope{all.array, all.from, all.priority, all.hops, all.strategy};
  }
  [[nodiscard]] envelope whole() const noexcept {
    return {.array = array, .from = from, .priority = priority, .hops = hops, .strategy = strategy};
  }

  std::uint64_t array = 0;
  std::int32_t from = -1;
  std::int16_t priority = 0;
  std::uint8_t hops = 0;
  std::uint8_t strategy = 0;
};

class invocation {
 public:
  /// `waits_as`: the name of a method that may wait, which outlives this; null: it may not.
  invocation(const envelope& of_call, const object_key& object,
             const std::string_view* waits_as = nullptr)
      : head(of_call), to(object), waits(waits_as) {}
  virtual ~invocation() = default;
  invocation(const invocation&) = delete;
  invocation& operator=(const invocation&) = delete;

  /// Runs the method; once.
  virtual void run(element& on) = 0;
  /// To another rank; this one is then of no use here.
  virtual void send(job& here, int rank) = 0;
  /// What `send` sends, behind other messages (core/packed_message.hpp).
  virtual void pack(job& here, std::vector<std::byte>& behind) = 0;
  /// Of its arguments, as they travel.
  [[nodiscard]] virtual std::size_t bytes() const { return 0; }

  envelope head;
  object_key to;
  const std::string_view* waits;
  element* found = nullptr;  ///< where the object is known to be here
  std::uint64_t as_of = 0;   ///< departures then (array_core): after more it may be gone
};

/// Calls of one caller, at the object they are for.
struct arrivals {
  std::uint64_t run = 0;  ///< number of the last that has run
  std::map<std::uint64_t, std::unique_ptr<invocation>> early;
};

/// An object among those that do reductions together.
struct membership {
  std::int32_t gathered_at =
      -1;             ///< member that its contributions go to; -1: none yet, or the home
  bool open = false;  ///< between begin and end of calls by a strategy
  std::uint64_t contributed = 0;
  std::uint64_t inserted = 0;  ///< calls since begin

  template <class Archive>
  void serialize(Archive& archive) {
    archive(gathered_at, open, contributed, inserted);
  }
};

/// What travels with an object's own state.
struct travelling {
  std::uint64_t id = 0;                                          ///< as a caller
  std::uint64_t moves = 0;                                       ///< so far
  std::uint64_t broadcasts = 0;                                  ///< that it has seen
  std::vector<std::pair<object_key, std::uint64_t>> calls;       ///< in order, to each object
  std::vector<std::pair<std::uint64_t, std::uint64_t>> has_run;  ///< by caller
  membership whole;
  std::vector<std::pair<std::uint64_t, membership>> sections;
  std::optional<measurements> measured;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(id, moves, broadcasts, calls, has_run, whole, sections, measured);
  }
};

class element {
 public:
  element(array_core& array, const object_key& index) : of(array), key(index) {}
  virtual ~element() = default;
  element(const element&) = delete;
  element& operator=(const element&) = delete;

  /// The object itself, with what is said to travel, to another rank. Returns the bytes of its
  /// state.
  virtual std::size_t send_state(int rank, const travelling& beside) = 0;
  virtual void write_state(std::vector<std::byte>& out) = 0;

  array_core& of;
  object_key key;
  std::uint64_t id = 0;
  std::uint64_t moves = 0;
  std::uint64_t broadcasts = 0;
  std::map<object_key, std::uint64_t> calls;  ///< of ordered arrays: made so far
  std::map<std::uint64_t, arrivals> callers;  ///< likewise
  membership whole;                           ///< in reductions of the array
  std::map<std::uint64_t, membership> sections;
  std::unique_ptr<measurements> measured;   ///< where the array measures
  int leaves_for = -1;                      ///< member, once all methods that run are over
  bool ends = false;                        ///< then
  int on_fibers = 0;                        ///< methods that have begun and may wait
  awaited_condition* conditions = nullptr;  ///< of those methods
};

}  // namespace upwash::objects
