// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What travels in a replay, and the events of a place, in the order in which they happen.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "upwash/base/prefetch.hpp"
#include "upwash/schedule/lower.hpp"

namespace upwash::simulator::detail {

/// Number of a step of its rank.
using step_number = std::uint32_t;
inline constexpr step_number no_step = UINT32_MAX;

enum class letter : std::uint8_t {
  data,
  offer,
  invitation,
  acknowledgement,
  request,
  reply,
  stored,
  signal,
  told,  ///< not a message: its sender's peer knows that it is there
  seen,  ///< not a message: a counter is high enough, seen from afar
};

struct parcel {
  int from = 0;
  int to = 0;
  std::uint32_t edge = 0;
  std::uint32_t number = 0;      ///< of those of its sender
  std::uint64_t about = 0;       ///< bytes of the edge
  step_number sender = no_step;  ///< waits for an acknowledgement
  step_number asker = no_step;   ///< waits for a reply
  letter what = letter::data;
  schedule::mechanism how = schedule::mechanism::eager;

  /// Beyond headers.
  [[nodiscard]] std::uint64_t bytes() const noexcept {
    return what == letter::data || what == letter::reply || what == letter::stored ? about : 0;
  }
};

/// One on its way to another place.
struct sent_parcel {
  std::int64_t at_ps = 0;  ///< when its event happens there
  parcel what;
};

/// Its turn among what happens to its receiver at one time.
[[nodiscard]] inline std::uint32_t arrival_turn(const parcel& p, int ranks) noexcept {
  const int up = p.from >= p.to ? p.from - p.to : p.from - p.to + ranks;
  return static_cast<std::uint32_t>(ranks + up);
}

enum class happening : std::uint8_t {
  finished,  ///< what the processor did
  reaches,   ///< a message's first byte its receiver
  complete,  ///< its last byte
  later,     ///< what is known from afar without a message
  chosen,    ///< the processor takes up what is next
  // Where links are shared (link_flows.hpp):
  port_free,  ///< a port, for the next message
  shares,     ///< all that start at this time have: each knows its share
  ended,      ///< a message has left its links
};

/// An event of a rank. Events of one time are in the order of ranks; of a rank's own, what
/// comes goes by whose other end is nearest upwards, and the processor chooses last.
struct event {
  std::int64_t at_ps = 0;
  std::uint32_t rank = 0;
  std::uint32_t turn = 0;
  std::uint32_t number = 0;
  std::uint32_t subject = 0;  ///< happening, and above it where its parcel is kept

  event() = default;
  event(std::int64_t at, int of_rank, std::uint32_t in_turn, std::uint32_t nth, happening what,
        std::uint32_t parcel = 0) noexcept
      : at_ps(at),
        rank(static_cast<std::uint32_t>(of_rank)),
        turn(in_turn),
        number(nth),
        subject(parcel << 3U | static_cast<std::uint32_t>(what)) {}

  [[nodiscard]] happening what() const noexcept { return static_cast<happening>(subject & 7U); }
  [[nodiscard]] std::uint32_t parcel() const noexcept { return subject >> 3U; }

  friend bool operator<(const event& a, const event& b) noexcept {
    if (a.at_ps != b.at_ps) return a.at_ps < b.at_ps;
    if (a.rank != b.rank) return a.rank < b.rank;
    return a.turn != b.turn ? a.turn < b.turn : a.number < b.number;
  }
};

/// Earliest first: a heap of four children each, and before it the event that came last where that
/// is the earliest, as it often is.
class event_heap {
 public:
  [[nodiscard]] bool empty() const noexcept { return !has_front_ && events_.empty(); }
  [[nodiscard]] const event& first() const noexcept {
    return has_front_ ? front_ : events_.front();
  }
  [[nodiscard]] std::int64_t next_ps() const noexcept {
    return empty() ? INT64_MAX : first().at_ps;
  }
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return events_.capacity() * sizeof(event);
  }
  /// The earliest, and those among which is what comes next.
  template <class Do>
  void for_first(std::int64_t end_ps, const Do& what) const {
    if (has_front_ && front_.at_ps < end_ps) what(front_);
    const std::size_t some = std::min(events_.size(), looked_at);
    for (std::size_t i = 0; i < some; ++i) {
      if (events_[i].at_ps < end_ps) what(events_[i]);
    }
  }
  void prefetch() const noexcept { upwash::prefetch(events_.data(), looked_at * sizeof(event)); }

  void push(event item) {
    if (has_front_) {
      if (item < front_) std::swap(item, front_);
    } else if (events_.empty() || item < events_.front()) {
      front_ = item;
      has_front_ = true;
      return;
    }
    sift_up(item);
  }

  event pop() {
    if (has_front_) {
      has_front_ = false;
      return front_;
    }
    const event earliest = events_.front();
    const event item = events_.back();
    events_.pop_back();
    if (!events_.empty()) sift_down(item);
    return earliest;
  }

 private:
  void sift_up(const event& item) {
    events_.push_back(item);
    std::size_t hole = events_.size() - 1;
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / 4;
      if (!(item < events_[parent])) break;
      events_[hole] = events_[parent];
      hole = parent;
    }
    events_[hole] = item;
  }
  void sift_down(const event& item) {
    const std::size_t size = events_.size();
    std::size_t hole = 0;
    for (std::size_t child = 1; child < size; child = 4 * hole + 1) {
      const std::size_t end = child + 4 < size ? child + 4 : size;
      std::size_t least = child;
      for (std::size_t i = child + 1; i < end; ++i) {
        if (events_[i] < events_[least]) least = i;
      }
      if (!(events_[least] < item)) break;
      events_[hole] = events_[least];
      hole = least;
    }
    events_[hole] = item;
  }

  static constexpr std::size_t looked_at = 5;

  std::vector<event> events_;
  event front_{};
  bool has_front_ = false;
};

/// What happens at ranks that share ports, and what comes to them. The first byte of a message only
/// takes a port: nobody need look at the place for that, until something else happens there or the
/// last byte may be in. So these are kept apart, and taken up in their turn before what is later.
struct alignas(64) replay_place {
  event_heap events;
  event_heap coming;  ///< first bytes
  /// From the first byte to the last, at the least, of those that came since there were none.
  std::int64_t least_transfer_ps = INT64_MAX;
  std::int64_t port_free_ps = 0;  ///< for what comes next; no later than that

  /// No last byte is in sooner.
  [[nodiscard]] std::int64_t last_byte_ps() const noexcept {
    if (coming.empty()) return INT64_MAX;
    return std::max(coming.next_ps(), port_free_ps) + least_transfer_ps;
  }
  /// Nothing is done here sooner.
  [[nodiscard]] std::int64_t next_ps() const noexcept {
    return std::min(events.next_ps(), last_byte_ps());
  }
  /// Of an event or a first byte.
  [[nodiscard]] std::int64_t soonest_ps() const noexcept {
    return std::min(events.next_ps(), coming.next_ps());
  }
  [[nodiscard]] bool comes_first() const noexcept {
    return !coming.empty() && (events.empty() || coming.first() < events.first());
  }
  /// The earliest, and those among which is what comes next, of what is done.
  template <class Do>
  void for_first(std::int64_t end_ps, const Do& what) const {
    events.for_first(end_ps, what);
    if (last_byte_ps() < end_ps) coming.for_first(end_ps - least_transfer_ps, what);
  }
  void come(const event& first_byte, std::int64_t transfer_ps) {
    least_transfer_ps = coming.empty() ? transfer_ps : std::min(least_transfer_ps, transfer_ps);
    coming.push(first_byte);
  }
  void prefetch() const noexcept {
    events.prefetch();
    coming.prefetch();
  }
};

/// Things kept under a number until they are taken.
template <class Thing>
class numbered {
 public:
  std::uint32_t keep(const Thing& what) {
    if (free_.empty()) {
      // Many are kept in large teams: little room ahead.
      if (things_.size() == things_.capacity()) things_.reserve(things_.size() * 5 / 4 + 4);
      things_.push_back(what);
      return static_cast<std::uint32_t>(things_.size() - 1);
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    things_[number] = what;
    return number;
  }
  [[nodiscard]] Thing& operator[](std::uint32_t number) noexcept { return things_[number]; }
  void prefetch(std::uint32_t number) const noexcept {
    const char* const thing = reinterpret_cast<const char*>(things_.data() + number);
    upwash::prefetch(thing);
    upwash::prefetch(thing + sizeof(Thing) - 1);
  }
  Thing take(std::uint32_t number) {
    free_.push_back(number);
    return things_[number];
  }
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return things_.capacity() * sizeof(Thing) + free_.capacity() * sizeof(std::uint32_t);
  }

 private:
  std::vector<Thing> things_;
  std::vector<std::uint32_t> free_;
};

}  // namespace upwash::simulator::detail
