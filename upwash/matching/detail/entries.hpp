// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a rank keeps of a message or a receive until it is done, and what comes with a message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "upwash/core/completer.hpp"
#include "upwash/core/memory_access.hpp"
#include "upwash/matching/messages.hpp"
#include "upwash/matching/store.hpp"

namespace upwash::matching::detail {

class messenger;
struct inquiry;

/// What comes with a message; plain, in its line.
struct label {
  std::uint64_t team = 0;
  std::uint64_t sender = 0;
  std::int32_t member = 0;  ///< who sends, in the team
  std::int32_t tag = 0;
  std::uint32_t kind = 0;  ///< as in envelope
  std::uint16_t ready = 0;
  std::uint16_t listed = 0;  ///< the sender keeps it until it is taken
};

/// A receive. Pooled; from `receive` until its `receiving` goes.
struct posted : entry {
  enum class state : std::uint8_t { inquiring, waiting, matched, complete };
  state now = state::waiting;
  bool truncated = false;
  bool inexact = false;  ///< not as long as was promised
  int exceptions = 0;    ///< that were unwinding when it was made
  std::span<std::byte> into;
  receipt got;
  completer end;  ///< of who destroys it and waits; most look at `now`
  std::uint64_t team = 0;
  messenger* owner = nullptr;
  std::uint64_t sender = 0;  ///< who is to be told once the bytes are fetched
  int sender_rank = -1;
  int source_rank = -1;  ///< world rank of the source that it names
  exposed_memory from;
  inquiry* asking = nullptr;      ///< while inquiring
  std::uint64_t* edge = nullptr;  ///< of a collective: told the length, instead of `end`
  std::uint64_t number = 0;       ///< in the recording
  posted* next_free = nullptr;
};

/// A message that came before its receive. Pooled.
struct unexpected_message : entry {
  std::vector<std::byte> bytes;  ///< of an eager one
  std::size_t size = 0;
  exposed_memory from;       ///< of one that is to be fetched
  std::uint64_t sender = 0;  ///< the send that wants to be told; 0: none
  int sender_rank = -1;
  bool eager = true;
  unexpected_message* next_free = nullptr;
};

/// A send that is complete when the receiver says so, or that waits for credit. Pooled. An entry of
/// the sender's own list when the receiver has no room for it (listed.cpp).
struct sending : entry {
  exposed_memory memory;   ///< bytes: of the message
  std::uint64_t name = 0;  ///< that the receiver gives back; 0: none yet
  completer end;
  std::uint64_t* edge = nullptr;  ///< of a collective: told 0, instead of `end`
  std::uint64_t team = 0;
  int rank = -1;                       ///< the receiver
  bool offered = false;                ///< counts among the envelopes there
  bool queued = false;                 ///< waits for credit (outbox.cpp)
  label with;                          ///< while queued
  std::span<const std::byte> bytes{};  ///< the same: of the message, in its owner's memory
  bool whole = false;                  ///< the same: it goes as it is, else its offer
  bool acknowledged = true;            ///< complete when it is received, else when it went
  sending* next_queued = nullptr;
  sending* next_free = nullptr;
};

/// Asks a sender for the first that it keeps for this team and tag.
struct question {
  std::uint64_t team = 0;
  std::uint64_t kind = 0;
  std::int32_t tag = 0;
  std::uint32_t number = 0;
};

}  // namespace upwash::matching::detail
