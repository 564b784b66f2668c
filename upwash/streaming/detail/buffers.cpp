// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/streaming/detail/buffers.hpp"

#include <algorithm>
#include <utility>

namespace upwash::streaming {

void buffers::set_limits(std::size_t full_bytes, std::size_t room_bytes) {
  full_bytes_ = full_bytes;
  room_bytes_ = room_bytes;
}

std::uint32_t buffers::add(int hop, content kind) {
  buffer& made = all_.emplace_back();
  made.hop = hop;
  made.kind = kind;
  rooms_.emplace_back();
  return size() - 1;
}

room buffers::new_room(std::size_t bytes) {
  memory_ += bytes;
  most_memory_ = std::max(most_memory_, memory_);
  return {std::make_unique_for_overwrite<std::byte[]>(bytes), bytes, bytes, {}};
}

void buffers::give_back(room&& memory) {
  if (memory.size == room_bytes_) {
    spare_.push_back(std::move(memory));
  } else {
    memory_ -= memory.size;
    memory = {};
  }
}

void buffers::open(std::uint32_t index, std::size_t least, const common_part& common,
                   duration now) {
  while (!spare_.empty() && spare_.back().size != room_bytes_) {  // of other limits
    memory_ -= spare_.back().size;
    spare_.pop_back();
  }
  room memory;
  if (spare_.empty() || least > room_bytes_) {
    memory = new_room(std::max(room_bytes_, least));
  } else {
    memory = std::move(spare_.back());
    spare_.pop_back();
  }
  memory.full = full_bytes_;
  memory.common = common;
  buffer& into = all_[index];
  into.first = into.next = memory.bytes.get();
  rooms_[index] = std::move(memory);
  into.stop = into.first + full_bytes_;
  into.items = 0;
  into.since = now;
  into.place = static_cast<std::uint32_t>(open_.size());
  open_.push_back(index);
}

void buffers::take_only(const common_part& common) {
  for (const std::uint32_t each : open_) {
    buffer& one = all_[each];
    one.stop = rooms_[each].common == common ? one.first + rooms_[each].full : one.next;
  }
}

batch buffers::take(std::uint32_t index) {
  buffer& from = all_[index];
  batch taken{
      std::move(rooms_[index]), from.used(), items_in(from), from.hop, from.kind, from.since};
  from.first = from.next = from.stop = nullptr;
  open_[from.place] = open_.back();
  all_[open_.back()].place = from.place;
  open_.pop_back();
  return taken;
}

std::uint32_t buffers::items_in(const buffer& one) const noexcept {
  if (record_bytes_ == 0) return one.items;
  return static_cast<std::uint32_t>(one.used() /
                                    (record_bytes_ + header_bytes(one.kind, record_bytes_)));
}

std::size_t buffers::waiting_bytes() const noexcept {
  std::size_t bytes = 0;
  for (const std::uint32_t each : open_) bytes += all_[each].used();
  return bytes;
}

std::uint64_t buffers::waiting_items() const noexcept {
  std::uint64_t items = 0;
  for (const std::uint32_t each : open_) items += items_in(all_[each]);
  return items;
}

}  // namespace upwash::streaming
