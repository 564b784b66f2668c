// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The producer's side of one ring: lines and a payload ring beside them, with credit for both.
// Growth: one for each (process, peer process, lane); 4 bytes a line of private memory.
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
class sender_ring {
 public:
  sender_ring() = default;
  explicit sender_ring(const ring_place& place)
      : place_(place), limit_(place.line_count), reusable_(place.line_count) {}

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

  /// done, or retry with no_credit or reserved. `source`, `destination` within their processes.
  injection push(const message& m, std::uint16_t source, std::uint16_t destination) {
    if (blocks(source, destination)) [[unlikely]] {
      return injection::retry(retry_reason::reserved);
    }
    if (sent_ + (open_ ? 1U : 0U) == limit_ && !refresh(open_ ? 2 : 1)) {
      return injection::retry(retry_reason::no_credit);
    }
    line& slot = place_.lines[sent_ & (place_.line_count - 1)];
    const std::size_t arguments = m.arguments.size();
    std::size_t behind = 0;
    std::uint32_t position = 0;
    if (!m.payload.empty()) {
      behind = (m.payload.size() + 7) & ~std::size_t{7};
      if (behind + arguments <= slot.body.size()) {
        copy_short(slot.body.data(), m.payload.data(), m.payload.size());
        position = inline_payload;
      } else {
        behind = 0;
        std::uint32_t begin = 0;
        if (!room(m.payload.size(), begin)) return injection::retry(retry_reason::no_credit);
        std::memcpy(place_.payload + begin, m.payload.data(), m.payload.size());
        position = static_cast<std::uint32_t>(begin / line_bytes);
      }
    }
    copy_short(slot.body.data() + behind, m.arguments.data(), arguments);
    publish(slot, m, line_tail{static_cast<std::uint16_t>(position), source, destination, 0});
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
    open_ = true;
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
    open_ = false;
    line& slot = place_.lines[sent_ & (place_.line_count - 1)];
    const auto begin = static_cast<std::uint32_t>(m.payload.data() - place_.payload);
    const std::uint32_t position = m.payload.empty() ? 0 : begin / line_bytes;
    copy_short(slot.body.data(), m.arguments.data(), m.arguments.size());
    publish(slot, m, line_tail{static_cast<std::uint16_t>(position), source, destination, 0});
  }

  /// The room comes back at once when it was the last, else with the newest line.
  void cancel() {
    ensure(open_, "cancel follows reserve");
    open_ = false;
    if (head_ == reserved_end_) {
      head_ = before_;
    } else if (limit_ - place_.line_count == sent_) {
      tail_ = head_;
    } else {
      reusable_[(sent_ - 1) & (place_.line_count - 1)] = head_;
    }
  }

 private:
  static constexpr std::uint32_t ahead = 6;  // lines

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

  void publish(line& slot, const message& m, line_tail tail) {
    slot.handler = m.handler.offset;
    slot.module = m.handler.module;
    slot.argument_bytes = static_cast<std::uint8_t>(m.arguments.size());
    slot.payload_bytes = static_cast<std::uint16_t>(m.payload.size());
    // While a reservation is open its room lies behind `before_` and must not be reused.
    reusable_[sent_ & (place_.line_count - 1)] = open_ ? before_ : head_;
    ++sent_;
    if (limit_ - sent_ > ahead) {
      prefetch_to_write(&place_.lines[(sent_ + ahead) & (place_.line_count - 1)]);
    }
    tail.sequence = static_cast<std::uint16_t>(sent_);
    // Release: whoever sees the sequence sees the line and the payload.
    std::atomic_ref<std::uint64_t>(slot.last).store(tail.word(), std::memory_order_release);
  }

  ring_place place_;
  std::uint32_t sent_ = 0;               ///< lines published, modulo 2^32 as all counts here
  std::uint32_t limit_ = 0;              ///< may publish while sent_ differs
  std::uint32_t head_ = 0;               ///< payload bytes taken, wraps included
  std::uint32_t tail_ = 0;               ///< payload bytes that came back
  std::vector<std::uint32_t> reusable_;  ///< tail_ once this line has come back
  bool open_ = false;
  std::uint16_t reserved_by_ = 0;
  std::uint16_t reserved_for_ = 0;
  std::uint32_t before_ = 0;        ///< head_ before the open reservation
  std::uint32_t reserved_end_ = 0;  ///< head_ behind it
};

}  // namespace upwash::conduit::shm_detail
