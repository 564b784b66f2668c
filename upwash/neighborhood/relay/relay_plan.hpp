// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How one rank takes part in a neighborhood collective: rounds of messages, each of some blocks
// that are its own or came in an earlier round. Schemes differ in their plans only; one schedule
// runs them all (relay_schedule.hpp), one check proves them, one counter counts them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace upwash::neighborhoods {

/// What a rank has for its neighbours.
enum class contents : std::uint8_t {
  same_for_all,  ///< one block: all-gather
  one_each,      ///< a block for each edge: all-to-all
};

/// A slot is the place of a block at this rank: the first `own_slots` are those of its input, then
/// follow those that come, in the order of the messages. Memory: a word for each block that is
/// sent, received or delivered.
struct relay_plan {
  struct message {
    int peer = 0;
    std::uint32_t first = 0;  ///< of a send: in `slots_sent`; of a receive: the first slot
    std::uint32_t count = 0;  ///< blocks
    /// Where nodes share memory and both ranks are on one: it does not travel, the receiver reads
    /// the blocks once their holder has said so often that some are laid out. Else 0.
    std::uint32_t signals = 0;
    [[nodiscard]] bool is_handed_over() const noexcept { return signals != 0; }
  };
  struct round {
    std::uint32_t number = 0;  ///< the same at sender and receiver
    std::uint32_t sends_end = 0;
    std::uint32_t receives_end = 0;
    std::uint32_t laid_end = 0;  ///< in `laid`
    std::uint32_t signals = 0;   ///< up to here: one in each round in which more is to be read
  };
  /// The block in a slot is that of a source: its index among the rank's sources.
  struct delivery {
    std::uint32_t slot = 0;
    std::uint32_t source = 0;
  };

  std::uint32_t own_slots = 0;
  std::uint32_t slots = 0;
  std::vector<message> sends;
  std::vector<message> receives;
  std::vector<std::uint32_t> slots_sent;
  std::vector<round> rounds;         ///< those in which this rank sends or receives
  std::vector<delivery> deliveries;  ///< sorted by slot; each source once
  /// Known of all ranks: blocks go straight from their ranks to their destinations.
  bool straight = false;
  /// The most own blocks of any rank, where ranks lay them out in shared memory and read those of
  /// the others there; 0: blocks travel as messages.
  std::uint32_t shared_slots = 0;
  /// Where blocks lie in shared memory: each block that comes, at its sender. With `shared_slots`
  /// among the own blocks, else at the sender's places.
  std::vector<std::uint32_t> slots_there;

  /// Ranks of a node hand over blocks in memory that they share. The same at all ranks.
  bool hands_over = false;
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
  std::vector<std::uint32_t> places;  ///< by slot: where others read it; nowhere, or no entry: not
  std::vector<std::uint32_t> laid;    ///< slots that are copied there; others come there
  std::uint32_t places_used = 0;
  std::uint32_t most_places = 0;  ///< used by any rank
  [[nodiscard]] std::uint32_t place_of(std::uint32_t slot) const noexcept {
    return slot < places.size() ? places[slot] : nowhere;
  }

  [[nodiscard]] std::span<const std::uint32_t> blocks_of(const message& sent) const {
    return std::span(slots_sent).subspan(sent.first, sent.count);
  }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return (sends.size() + receives.size()) * sizeof(message) +
           (slots_sent.size() + slots_there.size() + places.size() + laid.size()) *
               sizeof(std::uint32_t) +
           rounds.size() * sizeof(round) + deliveries.size() * sizeof(delivery);
  }
};

}  // namespace upwash::neighborhoods
