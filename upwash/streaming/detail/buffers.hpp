// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The buffers of a stream and their memory. A buffer has room only while records wait in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/streaming/detail/records.hpp"

namespace upwash::streaming {

/// A buffer for the records of one way. In one cache line, because each push reads it.
struct alignas(64) buffer {
  std::byte* next = nullptr;   ///< location of the next record
  std::byte* stop = nullptr;   ///< full when `next` reaches it; one more record fits after it
  std::byte* first = nullptr;  ///< null: no room, no records
  int hop = -1;                ///< world rank
  content kind = content::arrived;
  std::uint32_t items = 0;  ///< counted if sizes differ
  std::uint32_t place = 0;  ///< index among the open buffers
  duration since{};         ///< opening time, if requested

  [[nodiscard]] std::size_t used() const noexcept { return static_cast<std::size_t>(next - first); }
  /// Returns the bytes left: a push of fewer bytes leaves the buffer in its state. Negative while a
  /// full buffer waits.
  [[nodiscard]] std::ptrdiff_t left() const noexcept { return stop - next; }
};

/// Memory for records.
struct room {
  std::unique_ptr<std::byte[]> bytes;
  std::size_t size = 0;
  std::size_t full = 0;  ///< bytes at which the buffer is full
  common_part common{};  ///< of its records
};

/// The records taken out of a buffer, to be sent or delivered.
struct batch {
  room memory;
  std::size_t used = 0;
  std::uint32_t items = 0;
  int hop = -1;
  content kind = content::arrived;
  duration since{};

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept {
    return {memory.bytes.get(), used};
  }
};

/// All buffers of a stream. Memory: a room for each open buffer and each batch under way; returned
/// rooms are kept for the next. Indices stay valid; references do not outlive an `add`.
class buffers {
 public:
  explicit buffers(std::size_t record_bytes) : record_bytes_(record_bytes) {}

  /// Sets the limits of buffers opened from now on: full with `full_bytes` bytes, in rooms of
  /// `room_bytes`.
  void set_limits(std::size_t full_bytes, std::size_t room_bytes);

  [[nodiscard]] std::uint32_t add(int hop, content kind);
  [[nodiscard]] buffer& operator[](std::uint32_t index) noexcept { return all_[index]; }
  [[nodiscard]] const buffer& operator[](std::uint32_t index) const noexcept { return all_[index]; }
  [[nodiscard]] std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(all_.size());
  }
  /// Returns the buffers with room, in no order. O(1).
  [[nodiscard]] std::span<const std::uint32_t> open_ones() const noexcept { return open_; }

  /// Opens a buffer with room for a first record of at least `least` bytes.
  void open(std::uint32_t index, std::size_t least, const common_part& common, duration now);
  [[nodiscard]] const common_part& common_of(std::uint32_t index) const noexcept {
    return rooms_[index].common;
  }
  /// Opens the short path of a push for records with this common part, and closes it for others.
  void take_only(const common_part& common);
  /// Empties a buffer. The memory returns by `give_back`.
  [[nodiscard]] batch take(std::uint32_t index);
  [[nodiscard]] room new_room(std::size_t bytes);
  void give_back(room&& memory);

  /// Returns whether a record of `bytes` bytes fits without a change.
  [[nodiscard]] bool fits(std::uint32_t index, std::size_t bytes) const noexcept {
    return all_[index].first != nullptr && all_[index].used() + bytes <= rooms_[index].size;
  }
  /// Returns the number of items in a buffer. O(1).
  [[nodiscard]] std::uint32_t items_in(const buffer& one) const noexcept;
  /// Returns the waiting bytes of all buffers. O(open ones).
  [[nodiscard]] std::size_t waiting_bytes() const noexcept;
  [[nodiscard]] std::uint64_t waiting_items() const noexcept;
  /// Return the bytes of rooms, now and the maximum so far.
  [[nodiscard]] std::size_t memory() const noexcept { return memory_; }
  [[nodiscard]] std::size_t most_memory() const noexcept { return most_memory_; }

 private:
  const std::size_t record_bytes_;
  std::size_t full_bytes_ = 0;
  std::size_t room_bytes_ = 0;
  std::vector<buffer> all_;
  std::vector<room> rooms_;  ///< of `all_`
  std::vector<std::uint32_t> open_;
  std::vector<room> spare_;
  std::size_t memory_ = 0;
  std::size_t most_memory_ = 0;
};

}  // namespace upwash::streaming
