// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The producer's side of one ring: lines and a payload ring beside them, with credit for both.
// Growth: one for each (process, peer process, lane); 128 bytes, and 4 a line, of private memory.
#pragma once

#include <atomic>
#include <cstring>
#include <span>
#include <vector>

#include "upwash/base/ensure.hpp"
#include "upwash/conduit/message.hpp"
#include "upwash/conduit/shm/detail/line.hpp"

namespace upwash::conduit::shm_detail {

/// Where a ring lies in this process's view of the shared memory.
struct ring_place {
  line* lines = nullptr;
  std::byte* payload = nullptr;
  std::atomic<std::uint32_t>* returned = nullptr;  ///< lines that the consumer has given back
  std::uint32_t line_count = 0;                    ///< a power of two
  std::uint32_t payload_bytes = 0;                 ///< a power of two
};

/// Payload credit follows from line credit: for each line we remember how far the payload ring
/// may be reused once that line has come back. A payload is contiguous; what does not fit before
/// the end of the ring begins at its start. So a payload of at most half the ring fits any empty
/// ring.
class alignas(2 * line_bytes) sender_ring {
 public:
  sender_ring() = default;
  /// `by_line`: whether `push_line` may be used.
  explicit sender_ring(const ring_place& place, bool by_line = true)
      : place_(place),
        limit_(place.line_count),
        by_line_(by_line),
        by_line_now_(by_line),
        reusable_(place.line_count) {}

  /// Whether it has a place; without one it may only be asked this.
  [[nodiscard]] bool connected() const noexcept { return place_.lines != nullptr; }

  /// done when a message without payload would be taken now.
  injection probe(std::uint16_t source, std::uint16_t destination) {
    if (blocks(source, destination)) return injection::retry(retry_reason::reserved);
    const std::uint32_t wanted = open_ ? 2 : 1;
    if (limit_ - sent_ < wanted && !refresh(wanted)) {
      return injection::retry(retry_reason::no_credit);
    }
    return injection::done();
  }

  /// The common case, without a call: the message has room in a line, there is credit, and no room
  /// is open. False: nothing happened, use `push`. `source`, `destination` within their processes.
  [[nodiscard]] bool push_line(small_message m, const std::byte* arguments,
                               std::span<const std::byte> payload, std::uint16_t source,
                               std::uint16_t destination) {
    const std::size_t behind = rounded_to_words(payload.size());
    const std::uint32_t sent = sent_;
    const bool fits = behind + m.argument_bytes() <= body_bytes;
    if (sent == limit_ || !by_line_now_ || !fits) [[unlikely]]
      return false;
    line& slot = place_.lines[sent & (place_.line_count - 1)];
    if (behind != 0) copy_short(start_of(slot), payload.data(), payload.size());
    copy_short(start_of(slot) + behind, arguments, m.argument_bytes());
    slot.head = m.call() | std::uint64_t{payload.size()} << 48U;
    publish(slot, sent, {inline_payload, source, destination, 0}, head_);
    return true;
  }

  /// done, or retry with no_credit or reserved.
  injection push(const message& m, std::uint16_t source, std::uint16_t destination) {
    if (blocks(source, destination)) [[unlikely]] {
      return injection::retry(retry_reason::reserved);
    }
    if (sent_ + (open_ ? 1U : 0U) == limit_ && !refresh(open_ ? 2 : 1)) {
      return injection::retry(retry_reason::no_credit);
    }
    line& slot = place_.lines[sent_ & (place_.line_count - 1)];
    const std::size_t behind = rounded_to_words(m.payload.size());
    std::uint16_t position = inline_payload;
    if (behind + m.arguments.size() <= body_bytes) {
      copy_short(start_of(slot), m.payload.data(), m.payload.size());
      copy_short(start_of(slot) + behind, m.arguments.data(), m.arguments.size());
    } else {
      std::uint32_t begin = 0;
      if (!room(m.payload.size(), begin)) return injection::retry(retry_reason::no_credit);
      std::memcpy(place_.payload + begin, m.payload.data(), m.payload.size());
      position = static_cast<std::uint16_t>(begin / line_bytes);
      copy_short(start_of(slot), m.arguments.data(), m.arguments.size());
    }
    slot.head = head_of(m).word();
    publish(slot, sent_, {position, source, destination, 0}, reusable());
    return injection::done();
  }

  /// Room for a payload, kept together with the credit for its line until commit or cancel.
  /// One at a time for all sources of the process.
  injection reserve(std::size_t bytes, std::uint16_t source, std::uint16_t destination,
                    std::span<std::byte>& payload) {
    if (open_) return injection::retry(retry_reason::reserved);
    if (sent_ == limit_ && !refresh(1)) return injection::retry(retry_reason::no_credit);
    std::uint32_t begin = 0;
    before_ = head_;
    if (!room(bytes, begin)) return injection::retry(retry_reason::no_credit);
    set_open(true);
    reserved_end_ = head_;
    reserved_by_ = source;
    reserved_for_ = destination;
    payload = {place_.payload + begin, bytes};
    return injection::done();
  }

  /// Whether a consumer that has taken so many lines has all.
  [[nodiscard]] bool drained_by(std::uint32_t taken) const noexcept { return sent_ == taken; }
  [[nodiscard]] bool has_room_open() const noexcept { return open_; }

  void commit(const message& m, std::uint16_t source, std::uint16_t destination) {
    ensure(open_, "commit follows reserve");
    set_open(false);
    line& slot = place_.lines[sent_ & (place_.line_count - 1)];
    const auto begin = static_cast<std::uint32_t>(m.payload.data() - place_.payload);
    const std::uint16_t position =
        m.payload.empty() ? inline_payload : static_cast<std::uint16_t>(begin / line_bytes);
    copy_short(start_of(slot), m.arguments.data(), m.arguments.size());
    slot.head = head_of(m).word();
    publish(slot, sent_, {position, source, destination, 0}, reusable());
  }

  /// The room comes back at once when it was the last, else with the newest line.
  void cancel() {
    ensure(open_, "cancel follows reserve");
    set_open(false);
    if (head_ == reserved_end_) {
      head_ = before_;
    } else if (limit_ - place_.line_count == sent_) {
      tail_ = head_;
    } else {
      reusable_[(sent_ - 1) & (place_.line_count - 1)] = head_;
    }
  }

 private:
  static constexpr std::uint32_t ahead = 3;  // lines; more are taken back by a receiver that waits
  static constexpr std::size_t body_bytes = sizeof(line::body);

  /// Arguments begin so far behind the beginning of a payload in their line.
  [[nodiscard]] static constexpr std::size_t rounded_to_words(std::size_t bytes) noexcept {
    return (bytes + 7) & ~std::size_t{7};
  }

  /// Of its body; the whole line, so that compilers see no copy beyond its end.
  [[nodiscard]] static std::byte* start_of(line& slot) noexcept {
    return reinterpret_cast<std::byte*>(&slot);
  }

  [[nodiscard]] static line_head head_of(const message& m) noexcept {
    return {m.handler, m.arguments.size(), m.payload.size()};
  }

  /// Whether the room that is open comes before a message from here to there (E1).
  [[nodiscard]] bool blocks(std::uint16_t source, std::uint16_t destination) const noexcept {
    return open_ && destination == reserved_for_ && source == reserved_by_;
  }

  /// Whether at least `wanted` lines are free after a look at what came back.
  bool refresh(std::uint32_t wanted) {
    // Acquire: the consumer has read the lines and payloads before it gave them back.
    const std::uint32_t returned = place_.returned->load(std::memory_order_acquire);
    ensure(sent_ - returned <= place_.line_count, "no more lines come back than were sent", sent_,
           returned);
    if (returned + place_.line_count != limit_) {
      limit_ = returned + place_.line_count;
      tail_ = reusable_[(returned - 1) & (place_.line_count - 1)];
    }
    return limit_ - sent_ >= wanted;
  }

  bool room(std::size_t bytes, std::uint32_t& begin) {
    const auto size = round_to_lines(bytes);
    const std::uint32_t mask = place_.payload_bytes - 1;
    std::uint32_t start = head_;
    if ((start & mask) + size > place_.payload_bytes) start = (start | mask) + 1;
    if (start + size - tail_ > place_.payload_bytes) {
      refresh(0);
      if (start + size - tail_ > place_.payload_bytes) return false;
    }
    begin = start & mask;
    head_ = start + size;
    ensure<check_level::full>(head_ - tail_ <= place_.payload_bytes,
                              "payloads under way fit into their ring", head_, tail_);
    return true;
  }

  /// `reusable`: how far the payload ring may be reused once this line has come back.
  void publish(line& slot, std::uint32_t sent, line_tail tail, std::uint32_t reusable) {
    const std::uint32_t mask = place_.line_count - 1;
    // Mostly no payload moved since the line's last lap, and nothing is to be stored.
    std::uint32_t& noted = reusable_[sent & mask];
    if (noted != reusable) noted = reusable;
    sent_ = ++sent;
    if (limit_ - sent > ahead) prefetch_to_write(&place_.lines[(sent + ahead) & mask]);
    tail.sequence = static_cast<std::uint16_t>(sent);
    // Release: whoever sees the sequence sees the line and the payload.
    std::atomic_ref<std::uint64_t>(slot.last).store(tail.word(), std::memory_order_release);
  }

  void set_open(bool open) noexcept {
    open_ = open;
    by_line_now_ = by_line_ && !open;
  }

  /// While a reservation is open its room lies behind `before_` and must not be reused.
  [[nodiscard]] std::uint32_t reusable() const noexcept { return open_ ? before_ : head_; }

  ring_place place_;
  std::uint32_t sent_ = 0;   ///< lines published, modulo 2^32 as all counts here
  std::uint32_t limit_ = 0;  ///< may publish while sent_ differs
  std::uint32_t head_ = 0;   ///< payload bytes taken, wraps included
  std::uint32_t tail_ = 0;   ///< payload bytes that came back
  bool by_line_ = false;
  bool by_line_now_ = false;             ///< and no room is open
  bool open_ = false;                    ///< a room
  std::vector<std::uint32_t> reusable_;  ///< tail_ once this line has come back
  std::uint16_t reserved_by_ = 0;
  std::uint16_t reserved_for_ = 0;
  std::uint32_t before_ = 0;        ///< head_ before the open reservation
  std::uint32_t reserved_end_ = 0;  ///< head_ behind it
};

}  // namespace upwash::conduit::shm_detail
