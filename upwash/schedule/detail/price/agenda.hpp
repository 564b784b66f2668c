// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What happens in a run of the pricer, in the order of virtual time.
#pragma once

#include <cstdint>

#include "upwash/base/duration.hpp"
#include "upwash/schedule/detail/price/event_queue.hpp"

namespace upwash::schedule::detail {

enum class happening : std::uint8_t {
  ready,      ///< a step: all that it waits for is done
  take,       ///< a receive: its message is here
  fetched,    ///< the answer to a get is here
  released,   ///< a send: its acknowledgement is here; a put: it is there
  invited,    ///< a send: its place is free
  depart,     ///< a message: it is handed to its port
  arrive,     ///< a message: its first byte is there
  collect,    ///< a message that a collect takes
  seen,       ///< an await: the peer's counter, from afar
  signalled,  ///< a signal is here
  joined,     ///< a step in the network: the rank's part is over
  count,      ///< it has been counted: a counter goes up
  choose,     ///< a processor takes up what is to be done next
};

struct event {
  duration at;
  std::int32_t rank;
  happening what;
  std::uint64_t subject;  ///< number of a step, a message or a counter

  /// Of events of the same time.
  friend bool operator<(const event& a, const event& b) noexcept {
    if (a.rank != b.rank) return a.rank < b.rank;
    if (a.what != b.what) return a.what < b.what;
    return a.subject < b.subject;
  }
};

/// Owns the events to come and the time. Memory: what is under way, 24 bytes an event. All parts
/// of a run post to it; the run alone takes from it.
class agenda {
 public:
  [[nodiscard]] bool empty() const noexcept { return events_.empty(); }
  /// Of the last event taken.
  [[nodiscard]] duration now() const noexcept { return now_; }

  void post(duration at, int rank, happening what, std::uint64_t subject) {
    events_.push({at, rank, what, subject});
  }
  /// The earliest; there is one.
  [[nodiscard]] event take() {
    const event next = events_.pop();
    now_ = next.at;
    return next;
  }
  /// Whether the next one is of the time that it is now, and of this rank.
  [[nodiscard]] bool next_is_now_of(int rank) const noexcept {
    const event* const next = events_.next_of_same_time();
    return next != nullptr && next->rank == rank;
  }
  /// `by(event&)` puts each off; none may come before the last one taken.
  template <class Change>
  void change(const Change& by) {
    events_.change(by);
  }

 private:
  event_queue<event> events_;
  duration now_;
};

}  // namespace upwash::schedule::detail
