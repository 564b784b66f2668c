// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One memory operation in flight, from the call to its last completion. Pooled per job: no
// allocation once warm; memory grows with the operations in flight, never with ranks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "upwash/base/object_pool.hpp"
#include "upwash/conduit/endpoint.hpp"
#include "upwash/core/memory_handler.hpp"
#include "upwash/core/request.hpp"

namespace upwash::detail {

class memory_engine;

/// A place in the memory of some rank, taken apart.
struct place {
  int rank = -1;
  std::uint64_t region = 0;
  std::uint64_t offset = 0;
};

/// What the caller asked for.
struct transfer {
  enum class kind : std::uint8_t { put, get, atomic, get_exposed, call, confirm };

  kind what = kind::put;
  place at;
  const std::byte* from = nullptr;  ///< put: the source
  std::byte* into = nullptr;        ///< get: the destination
  std::size_t bytes = 0;
  bool silent = false;  ///< put: nobody acknowledges it
  place signal;         ///< put: the word to add to; rank -1: none
  std::uint64_t signal_add = 0;
  conduit::atomic_operation atomic;
  std::uint64_t* old = nullptr;              ///< atomic: where the old value goes, or null
  const conduit::memory_key* key = nullptr;  ///< get_exposed; the operation keeps a copy
  packed_call call;                          ///< `from`, `bytes` are its payload
  std::size_t room = 0;                      ///< call: bytes of `into`, for the answer
  std::size_t* answered = nullptr;           ///< call: where the answer's size goes, or null
};

/// Where a stage is told: a counter (of a request or the caller's), or a callback.
struct stage_target {
  std::atomic<std::uint32_t>* counter = nullptr;
  void (*function)(void*) = nullptr;
  void* context = nullptr;
  std::atomic<std::uint32_t>* also = nullptr;  ///< a second counter, of the peer
  bool in_background = false;                  ///< no program waits for it
};

/// What this rank and a peer have begun with each other.
struct peer_record {
  std::atomic<std::uint32_t> implicit_pending{0};  ///< towards the peer
  std::uint64_t begun = 0;
  std::uint64_t complete = 0;
  std::uint64_t sent = 0;         ///< unacknowledged, by message
  std::uint64_t confirmed = 0;    ///< of them, by the peer
  std::uint64_t unflushed = 0;    ///< unacknowledged, moved by the conduit
  std::uint64_t unsent = 0;       ///< unacknowledged, in neither of both yet
  std::uint64_t arrived = 0;      ///< unacknowledged, of the peer
  std::uint64_t signals_due = 0;  ///< of puts whose data has gone
};

/// Messages with answers that a peer owes: it keeps those that find no credit.
struct owed_answers {
  std::size_t gets = 0;
  std::size_t calls = 0;  ///< since the last question which of them are to be answered later
  std::size_t asked = 0;  ///< of the calls before one that is not answered
  bool asking = false;
  std::uint32_t questions = 0;  ///< since the job began

  [[nodiscard]] std::size_t all() const noexcept { return gets + calls + asked; }
};

struct region_state;
struct operation;

struct stage {
  conduit::completion hook;  ///< told by the conduit; first member, so that it leads back here
  stage_target target;
  operation* of = nullptr;
  bool open = false;
  bool awaited = false;  ///< counted in its regions, until it is told
};

struct operation {
  stage local;
  stage remote;
  stage step;  ///< where a put goes in steps: its data is at the target
  transfer what;
  memory_engine* engine = nullptr;
  peer_record* peer = nullptr;  ///< where it counts; null: not
  // Which it keeps from being freed; null: none, and no other one than `region`.
  region_state* region = nullptr;
  region_state* signal_region = nullptr;
  std::uint64_t name = 0;     ///< that the owner gives back; 0: none yet
  std::uint32_t watched = 0;  ///< its number with who watches writes
  int steps_done = 0;
  std::size_t injected = 0;        ///< emulated: bytes sent so far
  std::uint32_t questions = 0;     ///< call: owed_answers::questions when it went
  std::size_t acknowledged = 0;    ///< emulated gets, answers: bytes back so far
  conduit::memory_key key;         ///< get_exposed
  conduit::remote_memory exposed;  ///< the same, imported
  bool imported = false;           ///< `exposed` is to be forgotten
  operation* next = nullptr;       ///< in the pool
};

}  // namespace upwash::detail
