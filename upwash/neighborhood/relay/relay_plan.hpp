// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The part of one rank in a neighborhood collective: rounds of messages, each with blocks that are
// its own or arrived in an earlier round. Schemes differ only in their plans. One schedule runs all
// plans (relay_schedule.hpp), one check proves them, one counter counts them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace upwash::neighborhoods {

/// The blocks that a rank has for its neighbors.
enum class contents : std::uint8_t {
  same_for_all,  ///< one block: all-gather
  one_each,      ///< a block for each edge: all-to-all
};

/// A rank's plan. A slot is the position of a block at this rank. The first `own_slots` are those
/// of its input; those of arriving blocks follow, in the order of the messages. Memory: a word for
/// each block that is sent, received or delivered.
struct relay_plan {
  struct message {
    int peer = 0;
    std::uint32_t first = 0;  ///< send: index in `slots_sent`; receive: the first slot
    std::uint32_t count = 0;  ///< blocks
    /// Used if nodes share memory and both ranks are on one node. The message is then not sent: the
    /// receiver reads the blocks after this number of signals from their holder. Otherwise 0.
    std::uint32_t signals = 0;
    [[nodiscard]] bool is_handed_over() const noexcept { return signals != 0; }
  };
  struct round {
    std::uint32_t number = 0;  ///< the same at sender and receiver
    std::uint32_t sends_end = 0;
    std::uint32_t receives_end = 0;
    std::uint32_t laid_end = 0;  ///< end in `laid`
    std::uint32_t signals = 0;   ///< signals up to here: one in each round with new blocks to read
  };
  /// The slot of a source's block; `source` is an index among the rank's sources.
  struct delivery {
    std::uint32_t slot = 0;
    std::uint32_t source = 0;
  };

  std::uint32_t own_slots = 0;
  std::uint32_t slots = 0;
  std::vector<message> sends;
  std::vector<message> receives;
  std::vector<std::uint32_t> slots_sent;
  std::vector<round> rounds;         ///< the rounds in which this rank sends or receives
  std::vector<delivery> deliveries;  ///< sorted by slot; each source once
  /// Known for all ranks: blocks go directly from their ranks to their destinations.
  bool straight = false;
  /// Maximum number of own blocks of any rank, if ranks lay them out in shared memory and read
  /// those of the others there. 0: blocks travel as messages.
  std::uint32_t shared_slots = 0;
  /// The position in shared memory of each arriving block at its sender: with `shared_slots` an
  /// index of the own blocks, otherwise of the sender's places.
  std::vector<std::uint32_t> slots_there;

  /// The ranks of a node pass blocks on in shared memory. The same at all ranks.
  bool hands_over = false;
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
  std::vector<std::uint32_t> places;  ///< by slot: its position for readers; nowhere, or no entry:
                                      ///< none
  std::vector<std::uint32_t> laid;  ///< slots that are copied to their places; other blocks arrive
                                    ///< there
  std::uint32_t places_used = 0;
  std::uint32_t most_places = 0;  ///< of any rank
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
