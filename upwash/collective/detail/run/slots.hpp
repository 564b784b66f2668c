// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Slots: the steps of an operation's window, each with how far it has come.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "upwash/base/handle_table.hpp"
#include "upwash/conduit/message.hpp"
#include "upwash/core/region.hpp"
#include "upwash/core/request.hpp"
#include "upwash/schedule/step.hpp"

namespace upwash {
class job;
}

namespace upwash::collective::detail {

/// How far a step has come.
enum class progress_of : std::uint8_t {
  waiting,   ///< for its dependencies, for credit, or for its message
  posted,    ///< receive: the arrivals know of it
  offered,   ///< send: the receiver has been told where to fetch
  came,      ///< receive: an offer is here
  fetching,  ///< the data is on its way, by a request
  fetched,   ///< receive: the sender is to be told
  matching,  ///< a tagged message is under way
  asked,     ///< await, copy: a peer has been asked
  joined,    ///< a step in the network: it has been handed over
  done,
};

/// Where a sender's data lies, as it tells its receiver.
struct offer {
  exposed_memory memory;     ///< where it was exposed
  schedule::piece source;    ///< else: of the sender's buffers, which have one address everywhere
  std::uint64_t sender = 0;  ///< the sender's name for its slot
};

class operation;
struct slot;

/// The network has carried out a step.
struct network_end : conduit::completion {
  slot* of = nullptr;
};

/// A step in the window, and what is kept of it while it is under way.
struct slot {
  schedule::step what;
  progress_of state = progress_of::waiting;
  bool exposed = false;    ///< send: `offered.memory` is to be concealed
  bool told = false;       ///< receive: the sender knows that the place is free
  bool after_all = false;  ///< waits until all steps before it are done
  std::uint8_t unmet = 0;  ///< dependencies that are not done
  std::uint64_t index = 0;
  std::uint64_t name = 0;  ///< that peers give back; 0: none
  /// Steps that wait for this one: the first, and behind it what each names as the next (link_to).
  std::uint32_t dependents = 0;
  std::array<std::uint32_t, schedule::step::most_dependencies> next_dependent{};
  operation* of = nullptr;
  offer offered;                  ///< of a send, or what a receive fetches
  request moving;                 ///< the put or get under way
  std::uint64_t told_bytes = 0;   ///< of a tagged message (tagged_messages.hpp)
  std::vector<std::byte> staged;  ///< a header and its data in one piece, or a peer's operand
  network_end in_network;
};

/// Slots come in chunks: they keep their places, because peers name them, and most operations need
/// few. Chunks that are over are used again: making one takes longer than a small collective.
struct slot_chunk {
  static constexpr std::size_t slots = 8;
  std::array<slot, slots> of;
};

/// Owns the chunks that no operation has (at most 64 of them), and the names of slots that peers
/// give back. A rank has one.
class slot_store {
 public:
  [[nodiscard]] std::unique_ptr<slot_chunk> take() {
    if (spare_.empty()) return std::make_unique<slot_chunk>();
    std::unique_ptr<slot_chunk> last = std::move(spare_.back());
    spare_.pop_back();
    return last;
  }
  void put_back(std::unique_ptr<slot_chunk> unused) {
    for (slot& each : unused->of) forget(each);  // of an operation that failed
    if (spare_.size() == most_spare) return;
    for (slot& each : unused->of) {
      each.moving = {};
      if (each.staged.capacity() > most_staged) each.staged = {};
    }
    spare_.push_back(std::move(unused));
  }

  /// The slot's name, for a peer to give back, until `forget`.
  [[nodiscard]] std::uint64_t name_of(slot& s) {
    if (s.name == 0) s.name = names_.enter(s);
    return s.name;
  }
  void forget(slot& s) noexcept {
    if (s.name != 0) names_.leave(std::exchange(s.name, 0));
  }
  /// The step that waits, in that state, for what `peer` tells of it by its name. Throws `error`
  /// (fault) where there is none.
  [[nodiscard]] slot& waiting(const job& here, int peer, std::uint64_t name,
                              progress_of state) const;

 private:
  static constexpr std::size_t most_spare = 64;
  static constexpr std::size_t most_staged = 1024;  ///< bytes that a spare slot keeps
  handle_table<slot> names_;
  std::vector<std::unique_ptr<slot_chunk>> spare_;
};

/// The slots of an operation, in a ring. `chunks` is room for their list, empty before and after.
class slot_ring {
 public:
  slot_ring(slot_store& spare, std::vector<std::unique_ptr<slot_chunk>>& chunks)
      : spare_(spare), chunks_(chunks) {}
  slot_ring(const slot_ring&) = delete;
  slot_ring& operator=(const slot_ring&) = delete;
  ~slot_ring() {
    for (auto& chunk : chunks_) {
      if (chunk) spare_.put_back(std::move(chunk));
    }
    chunks_.clear();
  }

  /// At least so many; while none is in use.
  void widen(std::size_t slots) {
    const std::size_t chunks = (slots + slot_chunk::slots - 1) / slot_chunk::slots;
    if (chunks > chunks_.size()) chunks_.resize(chunks);
  }
  [[nodiscard]] std::size_t size() const noexcept { return chunks_.size() * slot_chunk::slots; }
  [[nodiscard]] slot_store& store() noexcept { return spare_; }
  [[nodiscard]] slot& at(std::uint64_t index) {
    const std::size_t place = index % size();
    auto& chunk = chunks_[place / slot_chunk::slots];
    if (!chunk) [[unlikely]]
      chunk = spare_.take();
    return chunk->of[place % slot_chunk::slots];
  }

 private:
  slot_store& spare_;
  std::vector<std::unique_ptr<slot_chunk>>& chunks_;
};

}  // namespace upwash::collective::detail
