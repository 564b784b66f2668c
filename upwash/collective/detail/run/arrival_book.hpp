// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where messages and the steps that wait for them meet, by exact key (team, run, edge, source).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "upwash/base/keyed_queues.hpp"
#include "upwash/collective/detail/run/keys.hpp"
#include "upwash/collective/detail/run/slots.hpp"
#include "upwash/collective/detail/run/spare_bytes.hpp"

namespace upwash::collective::detail {

/// What came for an edge.
enum class arrived : std::uint8_t { bytes, offered, landed };

/// A message that came before its receive: its bytes, or where to fetch them.
struct early {
  arrived what = arrived::bytes;
  std::vector<std::byte> bytes;
  offer from;
};

/// Owns what came before anybody waited for it, and knows who waits: receives for their messages,
/// sends that put for the word that their place at the receiver is free. Sends nothing, runs
/// nothing. Memory: an entry for each of these, used again, and the bytes of what came early. Each
/// call O(1), but where it says otherwise.
class arrival_book {
 public:
  // -- Messages and receives ----------------------------------------------------------------------
  /// The receive waits until `claim` finds it.
  void post(const edge_key& key, slot& receive) { posted_.push(key, &receive); }
  /// Who waits for such a message, and waits no longer; null: nobody.
  [[nodiscard]] slot* claim(const edge_key& key) { return posted_.take(key).value_or(nullptr); }
  /// Keeps what nobody waits for; its bytes are copied.
  void keep(const edge_key& key, arrived what, std::span<const std::byte> bytes,
            const offer& from) {
    early_.push(key, early{what, spare_.copy_of(bytes), from});
  }
  /// The first that came early; none: no such message is here.
  [[nodiscard]] std::optional<early> take(const edge_key& key) { return early_.take(key); }
  /// All that came early of the edge, by rising source, those of one source in their order.
  /// `edge.source` does not count. O(messages that are kept).
  [[nodiscard]] std::vector<std::pair<edge_key, early>> take_of_any_source(const edge_key& edge);
  /// Its bytes are needed no more.
  void give_back(early&& used) { spare_.give_back(std::move(used.bytes)); }

  // -- Places that senders put to -----------------------------------------------------------------
  /// The receiver's word; the send that waits for it, and waits no longer, or null.
  [[nodiscard]] slot* place_is_free(const edge_key& key) {
    if (free_places_.first(key) == nullptr) free_places_.push(key, {});
    return wait_for_place_.take(key).value_or(nullptr);
  }
  /// Whether the sender may put now; else `place_is_free` finds it.
  [[nodiscard]] bool take_place(const edge_key& key, slot& send) {
    if (free_places_.take(key)) return true;
    if (slot** waits = wait_for_place_.first(key)) {
      *waits = &send;
    } else {
      wait_for_place_.push(key, &send);
    }
    return false;
  }

  /// Of an operation that is given up: its steps wait for nothing. O(steps that wait).
  void forget(const operation& of);

 private:
  struct free_place {};

  keyed_queues<edge_key, early, edge_hash> early_;
  keyed_queues<edge_key, slot*, edge_hash> posted_;
  keyed_queues<edge_key, free_place, edge_hash> free_places_;
  keyed_queues<edge_key, slot*, edge_hash> wait_for_place_;
  spare_bytes spare_;
};

}  // namespace upwash::collective::detail
