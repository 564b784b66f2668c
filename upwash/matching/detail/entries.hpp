// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a rank keeps of a message or a receive until it is done, and what comes with a message.
#pragma once

#include <bit>
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
  std::uint8_t ready = 0;
  std::uint8_t listed = 0;  ///< the sender keeps it until it is taken
  std::uint16_t type = 0;   ///< the code of its items (item_type)
};

/// Of a user message that needs nothing but to be received, stored as it is copied from, 16 bytes a
/// time: a load of what was stored in smaller pieces waits for all stores before it, those of the
/// last message's line too.
[[nodiscard]] inline label plain_label(std::uint64_t team, int member, int tag, bool ready,
                                       std::uint16_t type) {
  using pair = std::uint64_t __attribute__((vector_size(16)));
  struct words {
    pair first;
    pair second;
  };
  const std::uint64_t who = std::uint64_t{static_cast<std::uint32_t>(member)} |
                            std::uint64_t{static_cast<std::uint32_t>(tag)} << 32U;
  const std::uint64_t how = (ready ? std::uint64_t{1} << 32U : 0) | std::uint64_t{type} << 48U;
  return std::bit_cast<label>(words{{team, 0}, {who, how}});
}

/// A receive. Pooled; from `receive` until its `receiving` goes. What a short message needs lies in
/// its first three cache lines.
struct posted : entry {
  enum class state : std::uint8_t { inquiring, waiting, matched, complete };
  /// Why the message does not go into the buffer.
  enum class misfit : std::uint8_t {
    none,
    truncated,   ///< longer than the buffer
    inexact,     ///< not as long as was promised
    broken,      ///< no whole number of items
    other_type,  ///< sent with `sent_type`
  };
  state now = state::waiting;
  misfit unfit = misfit::none;
  std::uint16_t sent_type = 0;
  int exceptions = 0;  ///< that were unwinding when it was made; set unless it is complete at once
  int source_rank = -1;  ///< world rank of the source that it names
  std::span<std::byte> into;
  item_type items;
  receipt got;
  messenger* owner = nullptr;
  std::uint64_t* edge = nullptr;  ///< of a collective: told the length, instead of `end`
  completer end;                  ///< of who destroys it and waits; most look at `now`
  std::uint64_t team = 0;
  std::uint64_t number = 0;  ///< in the recording
  posted* next_free = nullptr;
  std::uint64_t sender = 0;  ///< who is to be told once the bytes are fetched
  int sender_rank = -1;
  inquiry* asking = nullptr;  ///< while inquiring
  exposed_memory from;
};

/// A message that came before its receive. Pooled. A short one lies in its first two cache lines.
struct unexpected_message : entry {
  static constexpr std::size_t most_inside = 32;

  int sender_rank = -1;
  bool eager = true;
  std::uint16_t type = 0;  ///< the code of its items
  std::size_t size = 0;
  std::uint64_t sender = 0;  ///< the send that wants to be told; 0: none
  unexpected_message* next_free = nullptr;
  std::byte inside[most_inside];  ///< of an eager one, where it has room there,
  std::vector<std::byte> bytes;   ///< else here
  exposed_memory from;            ///< of one that is to be fetched

  /// Of an eager one.
  [[nodiscard]] std::span<const std::byte> payload() const noexcept {
    return size <= most_inside ? std::span<const std::byte>(inside, size) : bytes;
  }
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
  std::uint16_t type = 0;              ///< the code of its items
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
