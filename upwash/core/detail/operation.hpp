// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One memory operation in flight, from the call to its last completion. Pooled per job: no
// allocation in the steady state. Memory grows with the operations in flight, never with ranks.
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

/// A location in the memory of a rank, decomposed.
struct place {
  int rank = -1;
  std::uint64_t region = 0;
  std::uint64_t offset = 0;
};

/// The caller's arguments.
struct transfer {
  enum class kind : std::uint8_t { put, get, atomic, get_exposed, call, confirm };

  kind what = kind::put;
  place at;
  const std::byte* from = nullptr;  ///< put: the source
  std::byte* into = nullptr;        ///< get: the destination
  std::size_t bytes = 0;
  bool silent = false;  ///< put: not acknowledged
  place signal;         ///< put: the word to add to; rank -1: none
  std::uint64_t signal_add = 0;
  conduit::atomic_operation atomic;
  std::uint64_t* old = nullptr;              ///< atomic: destination of the old value, or null
  const conduit::memory_key* key = nullptr;  ///< get_exposed; the operation keeps a copy
  packed_call call;                          ///< its payload is `from`, `bytes`
  std::size_t room = 0;                      ///< call: bytes of `into`, for the answer
  std::size_t* answered = nullptr;           ///< call: destination of the answer's size, or null
};

/// The receiver of a stage's completion: a counter (of a request or of the caller), or a callback.
struct stage_target {
  std::atomic<std::uint32_t>* counter = nullptr;
  void (*function)(void*) = nullptr;
  void* context = nullptr;
  std::atomic<std::uint32_t>* also = nullptr;  ///< a second counter, of the peer
  bool in_background = false;                  ///< no program waits for it
};

/// The traffic between this rank and a peer.
struct peer_record {
  std::atomic<std::uint32_t> implicit_pending{0};  ///< towards the peer
  std::uint64_t begun = 0;
  std::uint64_t complete = 0;
  std::uint64_t sent = 0;         ///< unacknowledged, by message
  std::uint64_t confirmed = 0;    ///< confirmed by the peer
  std::uint64_t unflushed = 0;    ///< unacknowledged, moved by the conduit
  std::uint64_t unsent = 0;       ///< unacknowledged, not yet in `sent` or `unflushed`
  std::uint64_t arrived = 0;      ///< unacknowledged, from the peer
  std::uint64_t signals_due = 0;  ///< signals of puts whose data has left
};

/// The messages with answers that a peer owes. The peer keeps answers without credit.
struct owed_answers {
  std::size_t gets = 0;
  std::size_t calls = 0;  ///< calls since the last question about deferred answers
  std::size_t asked = 0;  ///< calls before the one that is not answered
  bool asking = false;
  std::uint32_t questions = 0;  ///< since the job began

  [[nodiscard]] std::size_t all() const noexcept { return gets + calls + asked; }
};

struct region_state;
struct operation;

struct stage {
  conduit::completion hook;  ///< completed by the conduit; first member, to find this object
  stage_target target;
  operation* of = nullptr;
  bool open = false;
  bool awaited = false;  ///< counted in its regions until completion
};

struct operation {
  stage local;
  stage remote;
  stage step;  ///< for a put in steps: its data is at the target
  transfer what;
  memory_engine* engine = nullptr;
  peer_record* peer = nullptr;  ///< counts the operation; null: not counted
  // The regions that the operation keeps from being freed, or null. `signal_region` is null also if
  // it is the same as `region`.
  region_state* region = nullptr;
  region_state* signal_region = nullptr;
  std::uint64_t name = 0;     ///< returned by the owner; 0: none yet
  std::uint32_t watched = 0;  ///< its number at the observer of writes
  int steps_done = 0;
  std::size_t injected = 0;        ///< emulated: bytes sent so far
  std::uint32_t questions = 0;     ///< call: owed_answers::questions when it was sent
  std::size_t acknowledged = 0;    ///< emulated gets, answers: bytes back so far
  conduit::memory_key key;         ///< get_exposed
  conduit::remote_memory exposed;  ///< get_exposed: imported
  bool imported = false;           ///< `exposed` must be forgotten
  operation* next = nullptr;       ///< in the pool
};

}  // namespace upwash::detail
