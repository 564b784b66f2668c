// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/simulator/network/event_queue.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace upwash::simulator {
namespace {

constexpr auto later = [](const event_queue::event& a, const event_queue::event& b) {
  return b < a;
};

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

}  // namespace

event_queue::event_queue(std::int64_t apart_ps, std::int64_t horizon_ps) {
  const auto width =
      std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(apart_ps, 1)));
  width_bits_ = static_cast<unsigned>(std::countr_zero(width));
  const auto wanted = static_cast<std::uint64_t>(horizon_ps >> width_bits_) + 1;
  const std::uint64_t count = std::clamp<std::uint64_t>(std::bit_ceil(wanted), 64, 1U << 20U);
  mask_ = static_cast<std::int64_t>(count) - 1;
  heads_.assign(count, none);
  occupied_.assign(count / 64, 0);
}

void event_queue::grow(event_line& of) {
  std::vector<event> larger(of.ring.size() * 2);
  const std::uint32_t count = of.end - of.first;
  for (std::uint32_t i = 0; i < count; ++i) larger[i] = of.ring[(of.first + i) & of.mask];
  of.ring.swap(larger);
  of.mask = of.mask * 2 + 1;
  of.first = 0;
  of.end = count;
}

void event_queue::push(const event& fresh) {
  const std::int64_t bucket = bucket_of(fresh.at_ps);
  if (pending_++ == 0) {
    current_.clear();
    taken_ = 0;
  } else if (bucket > now_) {
    return push_later(fresh, bucket);
  } else if (bucket == now_) {
    current_.insert(std::upper_bound(current_.begin() + static_cast<std::ptrdiff_t>(taken_),
                                     current_.end(), fresh),
                    fresh);
    first_[buckets] = current_[taken_];
    return;
  } else {
    put_back();
  }
  now_ = bucket;
  current_.push_back(fresh);
  first_[buckets] = fresh;
}

/// The current bucket is not the first any more. None of its events has been taken: one that comes
/// before it is not later than the last event that was.
void event_queue::put_back() {
  for (std::size_t i = taken_; i < current_.size(); ++i) push_later(current_[i], now_);
  current_.clear();
  taken_ = 0;
}

/// Lists are for what is within the horizon of the last event that was taken.
void event_queue::push_later(const event& fresh, std::int64_t bucket) {
  if (bucket - bucket_of(last_ps_) <= mask_) return push_near(fresh, bucket);
  far_.push_back(fresh);
  std::push_heap(far_.begin(), far_.end(), later);
}

void event_queue::push_near(const event& fresh, std::int64_t bucket) {
  std::uint32_t slot = free_;
  if (slot == none) {
    slot = static_cast<std::uint32_t>(entries_.size());
    entries_.emplace_back();
  } else {
    free_ = entries_[slot].next;
  }
  const std::int64_t place = bucket & mask_;
  entries_[slot] = {fresh, heads_[at(place)]};
  heads_[at(place)] = slot;
  occupied_[at(place >> 6)] |= std::uint64_t{1} << (place & 63);
  ++in_buckets_;
}

void event_queue::take_from_buckets() {
  ++taken_;
  --pending_;
  if (taken_ == current_.size()) {
    if (pending_ == 0) {
      first_[buckets] = nothing;
      return;
    }
    load_next_bucket();
  }
  first_[buckets] = current_[taken_];
}

/// The first bucket after now with events; there is one.
std::int64_t event_queue::next_occupied() const noexcept {
  const std::int64_t start = now_ + 1;
  const std::int64_t words = (mask_ + 1) >> 6;
  std::int64_t word = (start & mask_) >> 6;
  std::uint64_t bits = occupied_[at(word)] & (~std::uint64_t{0} << (start & 63));
  for (std::int64_t step = 0; step <= words; ++step) {
    if (bits != 0) {
      const std::int64_t place = (word << 6) + std::countr_zero(bits);
      return start + ((place - start) & mask_);
    }
    word = word + 1 == words ? 0 : word + 1;
    bits = occupied_[at(word)];
  }
  return start;
}

void event_queue::load_next_bucket() {
  current_.clear();
  taken_ = 0;
  std::int64_t bucket = INT64_MAX;
  if (in_buckets_ > 0) bucket = next_occupied();
  if (!far_.empty()) bucket = std::min(bucket, bucket_of(far_.front().at_ps));
  load(bucket);
}

void event_queue::load(std::int64_t bucket) {
  now_ = bucket;
  const std::int64_t place = bucket & mask_;
  // Only this bucket can be in the list: two that share one are further apart than the horizon.
  for (std::uint32_t slot = heads_[at(place)]; slot != none;) {
    current_.push_back(entries_[slot].what);
    slot = std::exchange(entries_[slot].next, std::exchange(free_, slot));
    --in_buckets_;
  }
  heads_[at(place)] = none;
  occupied_[at(place >> 6)] &= ~(std::uint64_t{1} << (place & 63));
  while (!far_.empty() && bucket_of(far_.front().at_ps) == bucket) {
    current_.push_back(far_.front());
    std::pop_heap(far_.begin(), far_.end(), later);
    far_.pop_back();
  }
  if (current_.size() > 1) std::sort(current_.begin(), current_.end());
}

}  // namespace upwash::simulator
