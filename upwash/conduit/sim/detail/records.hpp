// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages under way, pooled by size of payload, and the queue of those that have come.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "upwash/conduit/sim/detail/simulation.hpp"

namespace upwash::conduit::sim {

class traffic;

/// One message. In memory behind it: room for the payload, then the arguments.
struct message_record : flight {
  traffic* home = nullptr;
  message_record* next = nullptr;
  duration available;
  handler_id handler;
  lane kind = lane::request;
  std::uint8_t argument_bytes = 0;
  std::uint8_t size_class = 0;
  std::uint32_t sequence = 0;
  std::uint32_t payload_bytes = 0;
  std::uint32_t payload_room = 0;

  [[nodiscard]] std::byte* payload() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
  [[nodiscard]] std::byte* arguments() noexcept { return payload() + payload_room; }
  /// The message as its sink sees it.
  [[nodiscard]] message view() noexcept {
    return {handler,
            kind,
            source,
            destination,
            sequence,
            {arguments(), argument_bytes},
            {payload(), payload_bytes}};
  }
};

/// Free lists by size; never gives memory back before its end.
class record_pool {
 public:
  record_pool() = default;
  ~record_pool() {
    for (void* each : blocks_) ::operator delete(each);
  }
  record_pool(const record_pool&) = delete;
  record_pool& operator=(const record_pool&) = delete;

  /// A record with room for a payload and arguments of so many bytes.
  [[nodiscard]] message_record* take(std::size_t payload_bytes, std::size_t argument_bytes) {
    std::uint8_t size_class = 0;
    while (class_bytes(size_class) < payload_bytes + argument_bytes) ++size_class;
    if (free_.size() <= size_class) free_.resize(size_class + 1U);
    if (free_[size_class].empty()) refill(size_class);
    auto* record = new (free_[size_class].back()) message_record;
    free_[size_class].pop_back();
    record->size_class = size_class;
    record->payload_room = static_cast<std::uint32_t>(payload_bytes);
    return record;
  }
  void give(message_record* record) { free_[record->size_class].push_back(record); }

 private:
  [[nodiscard]] static std::size_t class_bytes(std::uint8_t size_class) noexcept {
    // Small ones by 4 times, so that most messages take three cache lines.
    return std::size_t{32} << 2U * size_class;
  }
  void refill(std::uint8_t size_class) {
    const std::size_t each = sizeof(message_record) + class_bytes(size_class);
    const std::size_t count = std::max<std::size_t>(1, 64 * 1024 / each);
    auto* memory = static_cast<std::byte*>(::operator new(each* count));
    blocks_.push_back(memory);
    for (std::size_t i = 0; i < count; ++i) free_[size_class].push_back(memory + i * each);
  }

  std::vector<std::vector<void*>> free_;
  std::vector<void*> blocks_;
};

/// Messages by the time they are there; those of equal time in the order of insertion, which
/// is the order of their events. Insertion is O(1) but for perturbed runs and where levels mix.
class arrival_queue {
 public:
  [[nodiscard]] message_record* front() const noexcept { return first_; }

  void insert(message_record* record) noexcept {
    record->next = nullptr;
    if (first_ == nullptr) {
      first_ = last_ = record;
      return;
    }
    if (last_->available <= record->available) {
      last_ = last_->next = record;
      return;
    }
    message_record** place = &first_;
    while ((*place)->available <= record->available) place = &(*place)->next;
    record->next = *place;
    *place = record;
  }
  message_record* pop() noexcept {
    message_record* record = first_;
    first_ = record->next;
    return record;
  }

 private:
  message_record* first_ = nullptr;
  message_record* last_ = nullptr;  ///< of a queue that is not empty
};

}  // namespace upwash::conduit::sim
