// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How edges travel: over a line of the team's board, eagerly, by a put with a signal, or offered,
// fetched and acknowledged, as schedule/lower says. (Tagged messages: matched_edges.)
#pragma once

#include "upwash/collective/detail/run/arrival_book.hpp"
#include "upwash/collective/detail/run/collector.hpp"
#include "upwash/collective/detail/run/edge_data.hpp"
#include "upwash/collective/detail/run/matched_edges.hpp"

namespace upwash::collective::detail {

/// Moves steps of kind send and receive on, and takes the messages of others' steps. Owns nothing:
/// what is under way is the slot's, who waits stands in the arrival book.
class edge_transport {
 public:
  /// What it is used against.
  struct uses {
    job& here;
    slot_store& slots;
    arrival_book& arrivals;
    edge_data& data;
    matched_edges& matched;
    collector& collects;
  };
  explicit edge_transport(const uses& all) : uses_(all), here_(all.here) {}

  /// Moves the step on; whether it came further.
  bool send(operation& op, slot& s);
  bool receive(operation& op, slot& s);

  // Messages, as they come; in handlers.
  /// Data for an edge: its receive takes it, or a collect, or it is kept.
  void data_came(const edge_key& key, arrived what, std::span<const std::byte> bytes,
                 const offer& from);
  void was_taken(int receiver, std::uint64_t sender);
  void place_is_free(const edge_key& key);

 private:
  [[nodiscard]] static bool has_line(const operation& op, const schedule::step& s,
                                     std::uint64_t bytes) noexcept;
  bool send_eager(operation& op, slot& s);
  bool send_put(operation& op, slot& s, bool asks_first);
  bool send_offer(operation& op, slot& s, bool in_place);
  bool read_line(operation& op, slot& s);
  bool post(operation& op, slot& s);
  bool tell_free(operation& op, slot& s);
  void accept(slot& s, arrived what, std::span<const std::byte> bytes, const offer& from);
  bool fetch(operation& op, slot& s);
  bool fetched(operation& op, slot& s);
  bool acknowledge(operation& op, slot& s);

  uses uses_;
  job& here_;
};

}  // namespace upwash::collective::detail
