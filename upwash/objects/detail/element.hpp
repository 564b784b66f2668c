// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An object with what travels beside its own state, and a call of one of its methods.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "upwash/objects/detail/object_key.hpp"

namespace upwash {
class job;
}

namespace upwash::objects {

class array_core;
class element;

/// What travels with each call. 40 bytes.
struct envelope {
  std::uint64_t array = 0;
  std::uint64_t caller = 0;     ///< object, or rank, that calls; stays the same wherever that goes
  std::uint64_t number = 0;     ///< of the caller's calls to this object, from 1; 0: in any order
  std::uint64_t broadcast = 0;  ///< its number, from 1; 0: for this object only
  std::int32_t from = -1;       ///< member that is to hear where the object was found
  std::int16_t priority = 0;    ///< the lower the sooner
  std::uint16_t hops = 0;
};

class invocation {
 public:
  invocation(const envelope& of_call, const object_key& object) : head(of_call), to(object) {}
  virtual ~invocation() = default;
  invocation(const invocation&) = delete;
  invocation& operator=(const invocation&) = delete;

  /// Runs the method; once.
  virtual void run(element& on) = 0;
  /// To another rank; this one is then of no use here.
  virtual void send(job& here, int rank) = 0;

  envelope head;
  object_key to;
};

/// Calls of one caller, at the object they are for.
struct arrivals {
  std::uint64_t run = 0;  ///< number of the last that has run
  std::map<std::uint64_t, std::unique_ptr<invocation>> early;
};

/// What travels with an object's own state.
struct travelling {
  std::uint64_t id = 0;                                          ///< as a caller
  std::uint64_t moves = 0;                                       ///< so far
  std::uint64_t broadcasts = 0;                                  ///< that it has seen
  std::vector<std::pair<object_key, std::uint64_t>> calls;       ///< in order, to each object
  std::vector<std::pair<std::uint64_t, std::uint64_t>> has_run;  ///< by caller

  template <class Archive>
  void serialize(Archive& archive) {
    archive(id, moves, broadcasts, calls, has_run);
  }
};

class element {
 public:
  element(array_core& array, const object_key& index) : of(array), key(index) {}
  virtual ~element() = default;
  element(const element&) = delete;
  element& operator=(const element&) = delete;

  /// The object itself, with what is said to travel, to another rank.
  virtual void send_state(int rank, const travelling& beside) = 0;

  array_core& of;
  object_key key;
  std::uint64_t id = 0;
  std::uint64_t moves = 0;
  std::uint64_t broadcasts = 0;
  std::map<object_key, std::uint64_t> calls;  ///< of ordered arrays: made so far
  std::map<std::uint64_t, arrivals> callers;  ///< likewise
  int leaves_for = -1;                        ///< member, once the method that runs is over
  bool ends = false;                          ///< then
};

}  // namespace upwash::objects
