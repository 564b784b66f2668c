// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The consumer's side of one ring.
#pragma once

#include <atomic>
#include <utility>

#include "upwash/conduit/message.hpp"
#include "upwash/conduit/shm/detail/sender_ring.hpp"

namespace upwash::conduit::shm_detail {

/// Gives lines back each quarter of the ring, of lines or of payload bytes, and when the ring has
/// been found empty some times in a row: the producer may starve on the payload of few lines.
class receiver_ring {
 public:
  receiver_ring() = default;
  explicit receiver_ring(const ring_place& place) : place_(place) {}
  receiver_ring(receiver_ring&& other) noexcept { *this = std::move(other); }
  receiver_ring& operator=(receiver_ring&& other) noexcept {
    place_ = other.place_;
    return *this;  // rings move only before their first use
  }

  /// Whether a message waits; also from a thread that does not take.
  [[nodiscard]] bool ready() const {
    // Relaxed: the ring's one taker wrote it; another thread's look may be late.
    const std::uint32_t next = next_.load(std::memory_order_relaxed);
    return line_tail::from(peek(next)).sequence == static_cast<std::uint16_t>(next + 1);
  }

  /// Takes at most `most` messages: deliver(message, tail), which says whether to go on, and fills
  /// in source and destination. Returns how many.
  template <class Deliver>
  int take(lane kind, int most, Deliver&& deliver) {
    // Relaxed, both: only this thread stores them.
    std::uint32_t next = next_.load(std::memory_order_relaxed);
    std::uint32_t returned = returned_.load(std::memory_order_relaxed);
    message arrived;
    arrived.kind = kind;
    int taken = 0;
    for (bool more = true; more && taken < most; ++taken) {
      const line_tail tail = line_tail::from(peek(next));
      if (tail.sequence != static_cast<std::uint16_t>(next + 1)) break;
      const line& slot = place_.lines[next & (place_.line_count - 1)];
      const line_head head = line_head::from(slot.head);
      take_out(arrived, slot, head, tail);
      more = deliver(arrived, tail);
      next_.store(++next, std::memory_order_relaxed);
      bool enough = next - returned >= place_.line_count / 4;
      if (tail.position != inline_payload) {
        payload_since_ += round_to_lines(head.payload_bytes());
        enough = enough || payload_since_ >= place_.payload_bytes / 4;
      }
      if (enough) {
        give_back();
        returned = next;
      }
    }
    if (taken != 0) {
      empty_looks_ = 0;
    } else {
      look_empty();
    }
    return taken;
  }

  /// Lines so far, modulo 2^32. For the thread that takes.
  [[nodiscard]] std::uint32_t taken() const noexcept {
    return next_.load(std::memory_order_relaxed);
  }

  /// Whether lines have been taken and not given back; also from a thread that does not take.
  [[nodiscard]] bool owing() const {
    // Relaxed, both: as in ready().
    return returned_.load(std::memory_order_relaxed) != next_.load(std::memory_order_relaxed);
  }

  /// To be told when ready() was false and take() is not called for it.
  void look_empty() {
    if (owing() && ++empty_looks_ >= patience) give_back();
  }

 private:
  // Rarely: a quarter of the ring is given back anyway, and a store to the line of the credit that
  // lies before a reply in the store buffer delays the reply by a line transfer.
  static constexpr std::uint32_t patience = 4096;

  [[nodiscard]] std::uint64_t peek(std::uint32_t next) const {
    // Acquire: pairs with the producer's release of the line and its payload.
    return std::atomic_ref<std::uint64_t>(place_.lines[next & (place_.line_count - 1)].last)
        .load(std::memory_order_acquire);
  }

  void take_out(message& to, const line& slot, line_head head, line_tail tail) const {
    to.handler.offset = head.handler_offset();
    to.handler.module = head.handler_module();
    const std::byte* behind = slot.body.data();
    const std::size_t bytes = head.payload_bytes();
    if (tail.position == inline_payload) {
      to.payload = {slot.body.data(), bytes};
      behind += (bytes + 7U) & ~std::size_t{7};
    } else {
      to.payload = {place_.payload + std::size_t{tail.position} * line_bytes, bytes};
    }
    to.arguments = {behind, head.argument_bytes()};
  }

  void give_back() {
    const std::uint32_t next = next_.load(std::memory_order_relaxed);
    returned_.store(next, std::memory_order_relaxed);
    payload_since_ = 0;
    empty_looks_ = 0;
    // Release: our reads of the lines are over before the producer writes them again.
    place_.returned->store(next, std::memory_order_release);
  }

  ring_place place_;
  std::atomic<std::uint32_t> next_ = 0;      ///< lines taken
  std::atomic<std::uint32_t> returned_ = 0;  ///< lines given back
  std::uint32_t payload_since_ = 0;
  std::uint32_t empty_looks_ = 0;
};

}  // namespace upwash::conduit::shm_detail
