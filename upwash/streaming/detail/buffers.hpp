// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The buffers of a stream and the memory behind them. A buffer has room only while records wait in
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "upwash/base/duration.hpp"
#include "upwash/streaming/detail/records.hpp"

namespace upwash::streaming {

/// Where the records of one way wait. In one line of the cache, since each push looks at it.
struct alignas(64) buffer {
  std::byte* next = nullptr;   ///< where the next record goes
  std::byte* stop = nullptr;   ///< full when `next` comes here; behind it one record more fits
  std::byte* first = nullptr;  ///< null: no room, nothing waits
  int hop = -1;                ///< world rank
  content kind = content::arrived;
  std::uint32_t items = 0;  ///< kept where sizes differ
  std::uint32_t place = 0;  ///< among the open ones
  duration since{};         ///< when it was opened, where that is asked for

  [[nodiscard]] std::size_t used() const noexcept { return static_cast<std::size_t>(next - first); }
  /// Bytes that a push may add and leave it as it is: less than this. Negative while a full one
  /// waits.
  [[nodiscard]] std::ptrdiff_t left() const noexcept { return stop - next; }
};

/// Memory for records.
struct room {
  std::unique_ptr<std::byte[]> bytes;
  std::size_t size = 0;
  std::size_t full = 0;  ///< of a buffer: so many are enough
  common_part common{};  ///< of its records
};

/// What was taken out of a buffer, to be sent or handed over.
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

/// Memory: a room for each buffer that is open and each batch that is under way; those given back
/// are kept for the next. Indices stay valid, references do not outlive an `add`.
class buffers {
 public:
  explicit buffers(std::size_t record_bytes) : record_bytes_(record_bytes) {}

  /// Of buffers opened from now on: full with so many bytes, in rooms of `room_bytes`.
  void set_limits(std::size_t full_bytes, std::size_t room_bytes);

  [[nodiscard]] std::uint32_t add(int hop, content kind);
  [[nodiscard]] buffer& operator[](std::uint32_t index) noexcept { return all_[index]; }
  [[nodiscard]] const buffer& operator[](std::uint32_t index) const noexcept { return all_[index]; }
  [[nodiscard]] std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(all_.size());
  }
  /// Those with room, in no order. O(1).
  [[nodiscard]] std::span<const std::uint32_t> open_ones() const noexcept { return open_; }

  /// With room for a first record of so many bytes at least.
  void open(std::uint32_t index, std::size_t least, const common_part& common, duration now);
  [[nodiscard]] const common_part& common_of(std::uint32_t index) const noexcept {
    return rooms_[index].common;
  }
  /// The short way of a push is open where records have this in common, and shut where not.
  void take_only(const common_part& common);
  /// Empties it. The memory comes back by `give_back`.
  [[nodiscard]] batch take(std::uint32_t index);
  [[nodiscard]] room new_room(std::size_t bytes);
  void give_back(room&& memory);

  /// Whether a record with so many bytes would fit as it is.
  [[nodiscard]] bool fits(std::uint32_t index, std::size_t bytes) const noexcept {
    return all_[index].first != nullptr && all_[index].used() + bytes <= rooms_[index].size;
  }
  /// Items in it. O(1).
  [[nodiscard]] std::uint32_t items_in(const buffer& one) const noexcept;
  /// Of all. O(open ones).
  [[nodiscard]] std::size_t waiting_bytes() const noexcept;
  [[nodiscard]] std::uint64_t waiting_items() const noexcept;
  /// Bytes of rooms, now and at most so far.
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
