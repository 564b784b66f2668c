// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Active messages of a simulated world: credits, reservations, throttling, delivery.
#pragma once

#include <cstdint>
#include <vector>

#include "upwash/conduit/sim/detail/records.hpp"
#include "upwash/conduit/sim/detail/simulation.hpp"

namespace upwash::conduit::sim {

class traffic {
 public:
  explicit traffic(simulation& in);

  void attach(int rank, sink* receiver);
  [[nodiscard]] const sink* receiver_of(int rank) const noexcept { return at(rank).receiver; }
  [[nodiscard]] injection send(const message& m, bool from_handler);
  [[nodiscard]] injection prepare(int source, int destination, lane kind, std::size_t bytes,
                                  reservation& room);
  void commit(const reservation& room, const message& m);
  void cancel(const reservation& room);
  void throttle(int first_rank, bool on);

  /// Whether a request from outside handlers may go to this endpoint; remembers who was refused.
  [[nodiscard]] bool admits(int source, int destination, lane kind, bool from_handler);
  /// A record of the message without its payload, with room for both; the caller sends it.
  [[nodiscard]] message_record* make(const message& m, std::size_t payload_bytes,
                                     std::size_t argument_bytes);
  /// Puts a message into its destination's queue, there for the taking from `when` on.
  void arrived(message_record* record, duration when);

  /// Delivers what is there for `owner` by the processor of `poller`, at most `limit`.
  int deliver(int owner, int poller, int limit);
  /// When the first message not yet delivered is there; max without one.
  [[nodiscard]] duration next_arrival(int rank) const noexcept;
  [[nodiscard]] peer_state& peer(int rank, int other, unsigned lane) {
    return at(rank).peers.of(other, lane);
  }
  [[nodiscard]] std::uint64_t delivered() const noexcept { return delivered_; }
  /// The message whose handler runs: since when it has been here, and what taking it cost.
  struct in_hand {
    duration since;
    duration overhead;
  };
  [[nodiscard]] const in_hand& handled() const noexcept { return in_hand_; }

 private:
  struct mailbox {
    peer_table peers;
    arrival_queue arrivals;
    sink* receiver = nullptr;
    std::vector<message_record*> kept;  ///< taken while there was no receiver
  };
  struct gate {
    int closed = 0;            ///< ranks of the endpoint that have it shut
    std::vector<int> refused;  ///< ranks to notify when it opens, in the order of refusal
  };

  [[nodiscard]] mailbox& at(int rank) noexcept { return boxes_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] const mailbox& at(int rank) const noexcept {
    return boxes_[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] injection claim(int source, int destination, lane kind, peer_state*& state);
  [[nodiscard]] duration overhead_of_taking(const message_record& record) const noexcept;
  void into_mailbox(message_record* record, duration when);
  void take(message_record* record, int poller);
  void hand_over(message_record* record, int poller);
  void set_gate(int endpoint, bool closed);

  simulation& in_;
  record_pool pool_;
  std::vector<mailbox> boxes_;
  std::vector<gate> gates_;  ///< by endpoint
  std::uint64_t delivered_ = 0;
  in_hand in_hand_;
};

}  // namespace upwash::conduit::sim
