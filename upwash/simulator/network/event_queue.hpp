// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The event queue of a packet network: lines for events that are created in the order of time,
// sorted buckets of time for others, and a heap for distant ones. Events leave in the order of
// (time, key, value), independent of insertion.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace upwash::simulator {

/// Constant time an event if the bucket width is close to the distance of events. Memory: 24 bytes
/// for each event pending at the peak, up to 32 in a line, 4 bytes a bucket.
class event_queue {
 public:
  struct event {
    std::int64_t at_ps = 0;  ///< not negative
    std::uint64_t what = 0;  ///< key and value

    [[nodiscard]] static constexpr event of(std::int64_t at, std::uint32_t key,
                                            std::uint32_t value) noexcept {
      return {at, std::uint64_t{key} << 32U | value};
    }
    /// Returns the key, which orders events of equal time.
    [[nodiscard]] constexpr std::uint32_t key() const noexcept {
      return static_cast<std::uint32_t>(what >> 32U);
    }
    [[nodiscard]] constexpr std::uint32_t value() const noexcept {
      return static_cast<std::uint32_t>(what);
    }

    /// Compares as one number, without branches, which would be mispredicted.
    friend constexpr bool operator<(const event& a, const event& b) noexcept {
      __extension__ using wide = unsigned __int128;
      return (wide{static_cast<std::uint64_t>(a.at_ps)} << 64U | a.what) <
             (wide{static_cast<std::uint64_t>(b.at_ps)} << 64U | b.what);
    }
  };

  /// Makes buckets of about `apart_ps` for the next `horizon_ps`; both are rounded to powers of
  /// two.
  event_queue(std::int64_t apart_ps, std::int64_t horizon_ps);

  static constexpr unsigned lines = 2;
  static constexpr unsigned buckets = lines;

  /// Adds an event, not earlier than the last one taken.
  void push(const event& fresh);
  /// As `push`, for events that mostly follow those of their line: one then costs a store.
  void push_behind(unsigned line, const event& fresh) {
    event_line& to = lines_[line];
    if (fresh < to.last) return push(fresh);
    to.last = fresh;
    if (to.first == to.end) first_[line] = fresh;
    if (to.end - to.first > to.mask) [[unlikely]]
      grow(to);
    to.ring[to.end++ & to.mask] = fresh;
  }

  /// Returns the position of the earliest event: a line or `buckets`.
  [[nodiscard]] unsigned earliest() const noexcept {
    const unsigned line = first_[1] < first_[0] ? 1 : 0;
    return first_[buckets] < first_[line] ? buckets : line;
  }
  /// Returns the earliest event there; with time INT64_MAX there is no event at all.
  [[nodiscard]] const event& first_of(unsigned where) const noexcept { return first_[where]; }
  /// Removes the earliest event there.
  void take(unsigned where) {
    last_ps_ = first_[where].at_ps;
    if (where == buckets) return take_from_buckets();
    event_line& of = lines_[where];
    first_[where] = ++of.first == of.end ? nothing : of.ring[of.first & of.mask];
  }
  /// Takes the earliest event, unless it is later than `until_ps`.
  bool pop(std::int64_t until_ps, event& next) {
    const unsigned where = earliest();
    next = first_[where];
    if (next.at_ps > until_ps || next.at_ps == INT64_MAX) return false;
    take(where);
    return true;
  }

  [[nodiscard]] bool empty() const noexcept { return next_ps() == INT64_MAX; }
  /// Returns the time of the earliest event; INT64_MAX if there is none.
  [[nodiscard]] std::int64_t next_ps() const noexcept {
    return std::min(std::min(first_[0].at_ps, first_[1].at_ps), first_[buckets].at_ps);
  }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;
  static constexpr event nothing{INT64_MAX, UINT64_MAX};
  static constexpr std::uint32_t first_room = 64;

  struct event_line {
    std::vector<event> ring = std::vector<event>(first_room);
    std::uint32_t mask = first_room - 1;
    std::uint32_t first = 0;
    std::uint32_t end = 0;
    event last;  ///< the last event put into the line
  };
  struct entry {
    event what;
    std::uint32_t next;
  };

  [[nodiscard]] std::int64_t bucket_of(std::int64_t at_ps) const noexcept {
    return at_ps >> width_bits_;
  }
  static void grow(event_line& of);
  void take_from_buckets();
  void put_back();
  void push_later(const event& fresh, std::int64_t bucket);
  void push_near(const event& fresh, std::int64_t bucket);
  void load_next_bucket();
  [[nodiscard]] std::int64_t next_occupied() const noexcept;
  void load(std::int64_t bucket);

  std::array<event, lines + 1> first_{nothing, nothing, nothing};  ///< of the lines and buckets
  std::array<event_line, lines> lines_;
  std::int64_t last_ps_ = 0;  ///< time of the last event taken
  unsigned width_bits_ = 0;
  std::int64_t mask_ = 0;    ///< buckets - 1
  std::int64_t now_ = 0;     ///< the bucket of `current_`: the first nonempty one
  std::size_t taken_ = 0;    ///< of `current_`
  std::size_t pending_ = 0;  ///< in current_, buckets and far_
  std::size_t in_buckets_ = 0;
  std::vector<event> current_;           ///< sorted
  std::vector<std::uint32_t> heads_;     ///< of each bucket's list
  std::vector<std::uint64_t> occupied_;  ///< a bit a bucket
  std::vector<entry> entries_;
  std::vector<event> far_;  ///< a heap, the earliest in front
  std::uint32_t free_ = none;
};

}  // namespace upwash::simulator
