// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages whose number nobody knows: the steps collect, close and deliver.
#pragma once

#include "upwash/collective/detail/run/arrival_book.hpp"
#include "upwash/collective/detail/run/in_flight.hpp"

namespace upwash::collective::detail {

/// Hands what comes for open collects to their callers, and fetches what was only offered. Owns
/// nothing: what is collected and fetched is kept by its operation.
class collector {
 public:
  collector(job& here, const in_flight& running, arrival_book& arrivals)
      : here_(here), running_(running), arrivals_(arrivals) {}

  /// A message; false: no open collect takes it.
  bool take(const edge_key& key, arrived what, std::span<const std::byte> bytes, const offer& from);

  /// Takes from now on, and what came before. Throws `error` (argument) with mechanism matched.
  bool open(operation& op, slot& s);
  /// Whether the step came further. Throws `error` (fault) where more came than were announced.
  bool close(operation& op, slot& s);
  static bool deliver(operation& op, slot& s);
  /// Fetches what was offered, hands it over, and tells the senders; returns how many.
  int advance_fetches(operation& op);

 private:
  void collect(operation& op, const edge_key& key, arrived what, std::span<const std::byte> bytes,
               const offer& from);

  job& here_;
  const in_flight& running_;
  arrival_book& arrivals_;
};

}  // namespace upwash::collective::detail
