// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An object with the data that migrates in addition to its state, and a call of one of its methods.
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

/// The fields sent with each call. 40 bytes.
struct envelope {
  std::uint64_t array = 0;
  std::uint64_t caller = 0;     ///< calling object or rank; does not change when it moves
  std::uint64_t number = 0;     ///< of the caller's calls to this object, from 1; 0: unordered
  std::uint64_t broadcast = 0;  ///< its number, from 1; 0: for this object only
  std::int32_t from = -1;       ///< member to be told the object's place
  std::int16_t priority = 0;    ///< a lower value runs earlier
  std::uint8_t hops = 0;        ///< at most `most_hops`, for any number of hops
  std::uint8_t strategy = 0;    ///< the carrier until arrival; 0: none

  static constexpr std::uint8_t most_hops = 255;
};

/// In an envelope's `caller`: the call is for an object of a section, which may have ended.
inline constexpr std::uint64_t by_section = std::uint64_t{1} << 62U;

/// The fields of an envelope that most calls of one object need. It leaves room for arguments in
/// the cache line of a message. 16 bytes.
struct brief_envelope {
  /// Returns nothing if the caller matters.
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
  /// `waits_as`: the name of a method that may wait, which outlives this object; null: it may not
  /// wait.
  invocation(const envelope& of_call, const object_key& object,
             const std::string_view* waits_as = nullptr)
      : head(of_call), to(object), waits(waits_as) {}
  virtual ~invocation() = default;
  invocation(const invocation&) = delete;
  invocation& operator=(const invocation&) = delete;

  /// Runs the method, once.
  virtual void run(element& on) = 0;
  /// Sends the call to another rank. It cannot be used here afterwards.
  virtual void send(job& here, int rank) = 0;
  /// Appends the message of `send` to other messages (core/packed_message.hpp).
  virtual void pack(job& here, std::vector<std::byte>& behind) = 0;
  /// Returns the bytes of its arguments in a message.
  [[nodiscard]] virtual std::size_t bytes() const { return 0; }

  envelope head;
  object_key to;
  const std::string_view* waits;
  element* found = nullptr;  ///< the object, if known to be here
  std::uint64_t as_of = 0;   ///< departures at that time (array_core); after more it may be gone
};

/// Calls of one caller, at the called object.
struct arrivals {
  std::uint64_t run = 0;  ///< number of the last call that has run
  std::map<std::uint64_t, std::unique_ptr<invocation>> early;
};

/// An object as a member of a set with common reductions.
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

/// The data sent in addition to an object's state.
struct travelling {
  std::uint64_t id = 0;                                          ///< as a caller
  std::uint64_t moves = 0;                                       ///< so far
  std::uint64_t broadcasts = 0;                                  ///< seen by the object
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

  /// Sends the object with the data in `beside` to another rank. Returns the bytes of its state.
  virtual std::size_t send_state(int rank, const travelling& beside) = 0;
  virtual void write_state(std::vector<std::byte>& out) = 0;

  array_core& of;
  object_key key;
  std::uint64_t id = 0;
  std::uint64_t moves = 0;
  std::uint64_t broadcasts = 0;
  std::map<object_key, std::uint64_t> calls;  ///< in ordered arrays: made so far
  std::map<std::uint64_t, arrivals> callers;  ///< in ordered arrays
  membership whole;                           ///< in reductions of the array
  std::map<std::uint64_t, membership> sections;
  std::unique_ptr<measurements> measured;   ///< if the array measures
  int leaves_for = -1;                      ///< member, when all running methods have ended
  bool ends = false;                        ///< removed at that time
  int on_fibers = 0;                        ///< methods in progress that may wait
  awaited_condition* conditions = nullptr;  ///< of those methods
};

}  // namespace upwash::objects
