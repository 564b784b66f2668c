// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Up to which size edges should travel eagerly: where the copy out of an anonymous buffer begins to
// take longer than to ask for the data, or for their place.
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

/// Those sizes on one machine, by price. Functions of the machine and the problem (but its bytes),
/// so the same at all members. A size is found once: 8 messages of two ranks are priced, 20 us;
/// what it depends on is kept with it, some 100 bytes each. Not from several threads at a time.
class eager_sizes {
 public:
  /// The machine as messages of the executor see it (predictor::edged).
  explicit eager_sizes(machine on) : on_(std::move(on)) {}

  [[nodiscard]] const machine& on() const noexcept { return on_; }

  /// The largest edge that travels eagerly where nobody names another size: the largest power of
  /// two at which one message alone, between the two members that are furthest apart, is priced at
  /// most as high eagerly as by what lower() does otherwise; at most `call.eager_limit`, and that
  /// where no copy has a price or a mechanism is asked for. For an overlapped call by what it takes
  /// of the processors.
  [[nodiscard]] std::uint64_t usual(const problem& call) const;

  /// Other sizes worth a price: none at all, the usual one of each level of the machine that the
  /// team spans (and of edges whose place is known), the limit. In rising order. Empty where the
  /// problem leaves no choice.
  [[nodiscard]] std::vector<std::uint64_t> worth_a_price(const problem& call) const;

 private:
  /// All that the price of a message depends on.
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

/// Whether a schedule whose sends have those sizes (price_result::edge_sizes) travels otherwise
/// with the one than with the other.
[[nodiscard]] bool travels_otherwise(std::uint64_t edge_sizes, std::uint64_t one,
                                     std::uint64_t other) noexcept;

}  // namespace upwash::collective
