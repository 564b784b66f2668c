// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/onesided/detail/owner_locks.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>

#include "upwash/base/relax.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"

namespace upwash::detail {
namespace {

/// The holder adds a stripe and goes on; it may have lost its processor meanwhile.
constexpr int looks_between_yields = 100;

}  // namespace

void stripe_holder::take(std::uint64_t stripe) noexcept {
  if (held_ != nullptr && stripe == stripe_) return;
  let_go();
  stripe_lock& wanted = locks_[(stripe + shift_) % stripe_locks];
  const std::atomic_ref taken(wanted.taken);
  // Acquire: what the holder before added is seen.
  for (int looks = 1; taken.exchange(1, std::memory_order_acquire) != 0;) {
    while (taken.load(std::memory_order_relaxed) != 0) {  // only the exchange takes it
      relax();
      if (looks++ % looks_between_yields == 0) sched_yield();
    }
  }
  held_ = &wanted;
  stripe_ = stripe;
}

void stripe_holder::let_go() noexcept {
  if (held_ == nullptr) return;
  // Release: what was added is seen by the next holder.
  std::atomic_ref(held_->taken).store(0, std::memory_order_release);
  held_ = nullptr;
}

void locked_adder::add(std::byte* y, std::uint64_t offset, const std::byte* x,
                       std::uint64_t bytes) noexcept {
  const std::uint64_t size = what_.size;
  while (bytes != 0) {
    const std::uint64_t stripe = offset / stripe_bytes;
    const std::uint64_t to_next = (stripe + 1) * stripe_bytes - offset;
    const std::uint64_t now = std::min(bytes, (to_next + size - 1) / size * size);
    holder_.take(stripe);
    what_.add(y, x, now / size, scale_);
    y += now;
    x += now;
    offset += now;
    bytes -= now;
  }
}

owner_locks::owner_locks(job& here) : here_(here) {
  // Handlers on the progress thread must not allocate beside the rank.
  if (here.options().progress_thread) static_cast<void>(own());
}

owner_locks::~owner_locks() {
  for (auto& [rank, each] : peers_) {
    if (each.memory.owner >= 0) host(here_).endpoint().forget(here_.rank(), each.memory);
  }
  if (block_.base != nullptr) host(here_).endpoint().release(here_.rank(), block_);
}

stripe_lock* owner_locks::own() {
  if (block_.base == nullptr) {
    block_ = host(here_).endpoint().allocate(here_.rank(), stripe_locks * sizeof(stripe_lock));
  }
  return reinterpret_cast<stripe_lock*>(block_.base);
}

const conduit::memory_key& owner_locks::own_key() {
  static_cast<void>(own());
  return block_.key;
}

stripe_lock* owner_locks::of(int rank) {
  if (rank == here_.rank()) return own();
  const auto found = peers_.find(rank);
  if (found == peers_.end()) return nullptr;
  return reinterpret_cast<stripe_lock*>(found->second.memory.direct);
}

owner_locks::peer_locks* owner_locks::to_ask(int rank) {
  const auto [at, is_new] = peers_.try_emplace(rank);
  if (!is_new) return nullptr;
  at->second.home = this;
  at->second.rank = rank;
  return &at->second;
}

void owner_locks::know(void* peer) {
  auto& of = *static_cast<peer_locks*>(peer);
  job& here = of.home->here_;
  of.key.size = static_cast<std::uint32_t>(of.answered);
  of.memory = host(here).endpoint().import(here.rank(), of.rank, of.key);
}

}  // namespace upwash::detail
