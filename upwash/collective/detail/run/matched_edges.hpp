// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Edges with mechanism `matched`: as tagged messages, through the matching stores (Ghazimirsaeed
// 2019, chapter 5).
#pragma once

#include "upwash/collective/detail/run/edge_data.hpp"
#include "upwash/collective/detail/run/in_flight.hpp"
#include "upwash/collective/tagged_messages.hpp"

namespace upwash::collective::detail {

/// The transport of operations whose rules force that mechanism, beside edge_transport, which hands
/// their steps on. Owns nothing: what is under way is the slot's. Used by one rank.
class matched_edges {
 public:
  matched_edges(job& here, const in_flight& running, edge_data& data)
      : here_(here), running_(running), data_(data) {}

  /// null: none; then its operations are refused.
  void install(tagged_messages* carries) noexcept { carries_ = carries; }

  /// Moves the step on; whether it came further. Throws `error` (argument) where the tags do not
  /// suffice.
  bool send(operation& op, slot& s);
  bool receive(operation& op, slot& s);

 private:
  [[nodiscard]] tagged_messages& carrier(const operation& op) const;
  [[nodiscard]] tagged_messages::edge edge_of(const operation& op, const schedule::step& s) const;
  bool advance(operation& op, slot& s);

  job& here_;
  const in_flight& running_;
  edge_data& data_;
  tagged_messages* carries_ = nullptr;
};

}  // namespace upwash::collective::detail
