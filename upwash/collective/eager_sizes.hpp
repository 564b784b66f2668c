// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Largest sizes of eager edges: those above which copying from an anonymous buffer takes longer
// than asking for the data or for their destination.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "upwash/collective/install.hpp"
#include "upwash/collective/problem.hpp"
#include "upwash/model/machine.hpp"

namespace upwash::collective {

/// Eager sizes on one machine, by price. They depend only on the machine and on the problem without
/// its bytes, so all members get the same sizes. Each size is computed once: 8 messages between two
/// ranks are priced (20 us). Memory: about 100 bytes a size. Not for several threads at a time.
class eager_sizes {
 public:
  /// `on`: the machine with the costs of executor messages (predictor::edged).
  explicit eager_sizes(machine on) : on_(std::move(on)) {}

  [[nodiscard]] const machine& on() const noexcept { return on_; }

  /// Returns the largest eager edge if no size is named. It is the largest power of two at which
  /// one message between the two most distant members has an eager price at most that of the
  /// alternative in lower(). At most `call.eager_limit`. Returns that limit if no copy has a price
  /// or if a mechanism is asked for. For an overlapped call the processors' time is compared.
  [[nodiscard]] std::uint64_t usual(const problem& call) const;

  /// Returns other sizes worth a price, in rising order: 0, the usual size of each machine level
  /// that the team spans (also for edges with a known destination), and the limit. Empty if the
  /// problem leaves no choice.
  [[nodiscard]] std::vector<std::uint64_t> worth_a_price(const problem& call) const;

 private:
  /// The facts on which the price of a message depends.
  struct message_kind {
    std::size_t level = 0;
    bool placed = false;
    address_mode addresses{};
    sync_mode entry{};
    bool direct_access = false;
    bool overlapped = false;
    std::uint64_t eager_limit = 0;

    friend auto operator<=>(const message_kind&, const message_kind&) = default;
  };

  [[nodiscard]] std::uint64_t crossing(const problem& call, std::size_t level, bool placed) const;

  machine on_;
  mutable std::map<message_kind, std::uint64_t> crossings_;
};

/// Returns whether a schedule with sends of the sizes `edge_sizes` (price_result::edge_sizes)
/// transfers differently with the limits `one` and `other`.
[[nodiscard]] bool travels_otherwise(std::uint64_t edge_sizes, std::uint64_t one,
                                     std::uint64_t other) noexcept;

}  // namespace upwash::collective
