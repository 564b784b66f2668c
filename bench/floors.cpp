// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bench/floors.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace upwash::bench {

double line_ping_pong_ns(context& c, long iterations) {
  if (c.rank() > 1) return 0;
  // The second line of each rank's scratch; the third keeps the count from call to call.
  std::atomic_ref mine(c.words(c.rank())[8]);
  std::atomic_ref theirs(c.words(1 - c.rank())[8]);
  std::uint64_t& round = c.words(c.rank())[16];
  const duration start = c.here().now();
  for (long i = 0; i < iterations; ++i) {
    ++round;
    if (c.rank() == 0) theirs.store(round, std::memory_order_release);
    while (mine.load(std::memory_order_acquire) < round) c.relax();
    if (c.rank() == 1) theirs.store(round, std::memory_order_release);
  }
  return (c.here().now() - start).ns() / (2.0 * static_cast<double>(iterations));
}

bare_ring::bare_ring(context& c) : c_(c), area_(allocate(c.here().world(), sizeof(memory))) {
  at_ = local(c.here(), area_.at<memory>(1));
}

double bare_ring::rate(long messages) {
  const std::uint64_t last = sequence_ + static_cast<std::uint64_t>(messages);
  const duration start = c_.here().now();
  std::atomic_ref taken(at_->taken);
  if (c_.rank() == 0) {
    std::uint64_t known = taken.load(std::memory_order_acquire);
    while (sequence_ < last) {
      while (sequence_ - known >= slots) {
        known = taken.load(std::memory_order_acquire);
        if (sequence_ - known >= slots) c_.relax();
      }
      slot& line = at_->lines[sequence_ % slots];
      for (auto& word : line.payload) word = sequence_;
      std::atomic_ref(line.sequence).store(++sequence_, std::memory_order_release);
    }
    while (taken.load(std::memory_order_acquire) < last) c_.relax();
  } else if (c_.rank() == 1) {
    while (sequence_ < last) {
      slot& line = at_->lines[sequence_ % slots];
      while (std::atomic_ref(line.sequence).load(std::memory_order_acquire) != sequence_ + 1) {
        c_.relax();
      }
      ++sequence_;
      if (sequence_ % (slots / 4) == 0 || sequence_ == last) {
        taken.store(sequence_, std::memory_order_release);
      }
    }
  }
  sequence_ = last;
  return static_cast<double>(messages) / (c_.here().now() - start).us();
}

bare_pipeline::bare_pipeline(context& c, std::byte* buffer, std::size_t bytes)
    : c_(c),
      buffer_(buffer),
      bytes_(bytes),
      area_(allocate(c.here().world(), std::max(sizeof(memory), std::size_t{2} << 20U))) {
  at_ = local(c.here(), area_.at<memory>(0));
}

double bare_pipeline::bandwidth(long messages) {
  const duration start = c_.here().now();
  std::atomic_ref filled(at_->filled);
  std::atomic_ref taken(at_->taken);
  for (long m = 0; m < messages; ++m) {
    for (std::size_t done = 0; done < bytes_; done += chunk_bytes, ++count_) {
      const std::size_t size = std::min(chunk_bytes, bytes_ - done);
      std::byte* chunk = at_->data[count_ % chunks];
      if (c_.rank() == 0) {
        while (count_ - taken.load(std::memory_order_acquire) >= chunks) c_.relax();
        std::memcpy(chunk, buffer_ + done, size);
        filled.store(count_ + 1, std::memory_order_release);
      } else if (c_.rank() == 1) {
        while (filled.load(std::memory_order_acquire) <= count_) c_.relax();
        std::memcpy(buffer_ + done, chunk, size);
        taken.store(count_ + 1, std::memory_order_release);
      }
    }
    // A message has arrived before the next one starts.
    if (c_.rank() == 0) {
      while (taken.load(std::memory_order_acquire) < count_) c_.relax();
    }
  }
  return static_cast<double>(bytes_) * static_cast<double>(messages) /
         (c_.here().now() - start).ns();
}

bare_barrier::bare_barrier(context& c) : c_(c), area_(allocate(c.here().world(), sizeof(memory))) {
  at_ = local(c.here(), area_.at<memory>(0));
}

double bare_barrier::latency_us(long iterations) {
  const auto members = static_cast<std::uint64_t>(c_.size());
  std::atomic_ref arrived(at_->arrived);
  std::atomic_ref released(at_->released);
  const duration start = c_.here().now();
  for (long i = 0; i < iterations; ++i) {
    ++epoch_;
    if (arrived.fetch_add(1) + 1 == epoch_ * members) {
      released.store(epoch_, std::memory_order_release);
    } else {
      while (released.load(std::memory_order_acquire) < epoch_) c_.relax();
    }
  }
  return (c_.here().now() - start).us() / static_cast<double>(iterations);
}

bare_dissemination::bare_dissemination(context& c)
    : c_(c), area_(allocate(c.here().world(), sizeof(memory))) {
  for (int distance = 1; distance < c.size(); distance *= 2) {
    parts_.push_back(local(c.here(), area_.at<memory>((c.rank() + distance) % c.size())));
  }
  mine_ = area_.mine_as<memory>().data();
}

double bare_dissemination::latency_us(long iterations, std::size_t bytes) {
  std::byte payload[56] = {};
  const duration start = c_.here().now();
  for (long i = 0; i < iterations; ++i) {
    ++epoch_;
    for (std::size_t round = 0; round < parts_.size(); ++round) {
      line& there = parts_[round]->lines[epoch_ % 2][round];
      if (bytes != 0) std::memcpy(there.payload, payload, bytes);
      std::atomic_ref(there.tag).store(epoch_, std::memory_order_release);
      line& here = mine_->lines[epoch_ % 2][round];
      while (std::atomic_ref(here.tag).load(std::memory_order_acquire) != epoch_) c_.relax();
      if (bytes != 0) std::memcpy(payload, here.payload, bytes);
    }
  }
  return (c_.here().now() - start).us() / static_cast<double>(iterations);
}

bare_exchange::bare_exchange(context& c)
    : c_(c),
      area_(allocate(c.here().world(), sizeof(memory))),
      next_(c.simulated() ? nullptr : local(c.here(), area_.at<memory>((c.rank() + 1) % c.size()))),
      mine_(area_.mine_as<memory>().data()) {}

void bare_exchange::fill() {
  std::uint64_t value = written_ * chunk_words;
  for (auto& word : next_->words[written_ % chunks]) word = value++;
  std::atomic_ref(next_->filled).store(++written_, std::memory_order_release);
}

void bare_exchange::drain(std::size_t stride) {
  const auto& words = mine_->words[read_ % chunks];
  for (std::size_t i = 0; i < chunk_words; i += stride) sum_ += words[i];
  std::atomic_ref(mine_->taken).store(++read_, std::memory_order_release);
}

double bare_exchange::rate(long items, std::size_t bytes) {
  const std::uint64_t words =
      (static_cast<std::uint64_t>(items) * bytes + sizeof(std::uint64_t) - 1) /
      sizeof(std::uint64_t);
  const std::uint64_t last = written_ + (words + chunk_words - 1) / chunk_words;
  const duration start = c_.here().now();
  while (written_ < last || read_ < last) {
    const bool room =
        written_ - std::atomic_ref(next_->taken).load(std::memory_order_acquire) < chunks;
    const bool came = std::atomic_ref(mine_->filled).load(std::memory_order_acquire) > read_;
    if (written_ < last && room) fill();
    if (came) drain(std::max<std::size_t>(bytes / sizeof(std::uint64_t), 1));
    if (!came && (!room || written_ == last)) c_.relax();
  }
  const double spent = (c_.here().now() - start).us();
  c_.words(c_.rank())[24] = sum_;  // or the reading would be left out
  return static_cast<double>(items) * c_.size() / spent;
}

}  // namespace upwash::bench
