// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/simulator/engine.hpp"

#include <algorithm>

#include "upwash/base/ensure.hpp"

namespace upwash::simulator {

void engine::schedule(duration at, int destination, int source, action what) {
  ensure(at >= now_, "nothing is scheduled in the past");
  std::uint32_t slot = 0;
  if (free_.empty()) {
    slot = static_cast<std::uint32_t>(slots_.size());
    slots_.push_back(what);
  } else {
    slot = free_.back();
    free_.pop_back();
    slots_[slot] = what;
  }
  const std::uint64_t number = numbers_[static_cast<std::size_t>(source)]++;
  const std::uint64_t route = static_cast<std::uint64_t>(static_cast<std::uint32_t>(destination))
                                  << 32U |
                              static_cast<std::uint32_t>(source);
  heap_.emplace_back();
  sift_up(heap_.size() - 1, {at.ps(), route, number, slot});
}

bool engine::step() {
  if (heap_.empty()) return false;
  const entry first = heap_.front();
  const entry last = heap_.back();
  heap_.pop_back();
  if (!heap_.empty()) sift_down(last);
  now_ = duration::from_ps(first.time_ps);
  ++events_run_;
  const std::uint64_t seen = static_cast<std::uint64_t>(first.time_ps) ^
                             first.route * 0x9e3779b97f4a7c15U ^ first.number << 17U;
  digest_ = (digest_ ^ seen) * 0xff51afd7ed558ccdU;
  digest_ ^= digest_ >> 32U;
  const action what = slots_[first.slot];
  // The next event's subject is seldom in the cache, and known this early.
  if (!heap_.empty()) __builtin_prefetch(slots_[heap_.front().slot].subject);
  free_.push_back(first.slot);
  what.run(what.subject, what.argument);
  return true;
}

void engine::sift_up(std::size_t hole, const entry& item) {
  while (hole > 0) {
    const std::size_t parent = (hole - 1) / 4;
    if (!(item < heap_[parent])) break;
    heap_[hole] = heap_[parent];
    hole = parent;
  }
  heap_[hole] = item;
}

void engine::sift_down(const entry& item) {
  const std::size_t size = heap_.size();
  std::size_t hole = 0;
  while (true) {
    const std::size_t first = 4 * hole + 1;
    if (first >= size) break;
    const std::size_t end = std::min(first + 4, size);
    std::size_t least = first;
    for (std::size_t child = first + 1; child < end; ++child) {
      if (heap_[child] < heap_[least]) least = child;
    }
    if (!(heap_[least] < item)) break;
    heap_[hole] = heap_[least];
    hole = least;
  }
  heap_[hole] = item;
}

}  // namespace upwash::simulator
