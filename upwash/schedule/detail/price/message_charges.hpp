// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What messages cost by where they are sent from, and what a send pays beyond its message: copies
// to the memory of the NIC, pieces combined into it.
#pragma once

#include <optional>
#include <vector>

#include "upwash/schedule/detail/price/charges.hpp"
#include "upwash/schedule/detail/price/messages_under_way.hpp"
#include "upwash/schedule/detail/price/nic_memory.hpp"
#include "upwash/schedule/detail/price/packed_pieces.hpp"

namespace upwash::schedule::detail {

/// Owns the charges, and by rank what its NIC keeps and what it has packed, where the options ask
/// for them. Memory: O(pieces sent more than once, pieces packed) a rank walked, else nothing.
/// Used against the machine, which outlives it.
class message_charges {
 public:
  /// Throws `error` (configuration) where the machine lacks costs of NIC memory that are asked for.
  message_charges(const machine& on, const price_options& options, int ranks);

  /// Looks through a rank's schedule once, where that is needed.
  void expect(int rank, const generator& steps, const facts& known) {
    if (!nics_.empty()) nics_[static_cast<std::size_t>(rank)].expect(steps, known);
  }

  /// The charges of all else: copies, reductions.
  [[nodiscard]] const charges& work() const noexcept { return main_; }
  /// References last until the next call of either.
  [[nodiscard]] const model::message_cost& of(const message& what) {
    return (what.from_nic ? *from_nic_ : main_).message(what.level, what.bytes);
  }
  /// Of a message without bytes.
  [[nodiscard]] const model::message_cost& note(std::size_t level) {
    return main_.message(level, 0);
  }
  [[nodiscard]] bool inside_node(std::size_t level) const noexcept {
    return on_.levels[level].kind <= level_kind::node;
  }
  /// The same to a rank far away.
  [[nodiscard]] const model::message_cost& note_far_away() { return note(levels_ - 1); }

  /// From the memory of the NIC what is sent more than once. What the copy takes.
  [[nodiscard]] duration choose_memory(int rank, const piece& from, message& m);
  /// A copy has written a piece, to be sent perhaps.
  void pack(int rank, const piece& into) {
    if (!packed_.empty()) packed_[static_cast<std::size_t>(rank)].note(into);
  }
  /// What combining takes for a send of that piece.
  [[nodiscard]] duration combining(int rank, const piece& sent);

 private:
  const machine& on_;
  std::size_t levels_;
  charges main_;
  std::optional<machine> nic_;  ///< the machine as messages from NIC memory see it
  std::optional<charges> from_nic_;
  std::vector<nic_memory> nics_;
  std::vector<packed_pieces> packed_;
};

}  // namespace upwash::schedule::detail
