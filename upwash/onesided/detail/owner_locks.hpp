// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The locks for accumulates and pair changes in the memory of a rank. Stripes of its regions share
// 64 locks. The locks are in memory that any rank which loads and stores the regions also reaches.
// An element is changed under the lock of the stripe of its first byte, by the owner, by a handler,
// or by a peer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "upwash/base/random.hpp"
#include "upwash/conduit/memory.hpp"
#include "upwash/core/memory_handler.hpp"
#include "upwash/onesided/detail/addend.hpp"

namespace upwash {
class job;
}

namespace upwash::detail {

/// One lock on its own cache line. 0: free.
struct alignas(64) stripe_lock {
  std::uint32_t taken = 0;
};
inline constexpr std::uint64_t stripe_bytes = 8192;
inline constexpr std::uint64_t stripe_locks = 64;

/// Holds the lock of one stripe at a time, so that no rank waits for two locks; holds the last one
/// until destruction. Hold it briefly, and call nothing of the library meanwhile.
class stripe_holder {
 public:
  /// `shift`: lock_shift of the region.
  stripe_holder(stripe_lock* locks, std::uint8_t shift) noexcept : locks_(locks), shift_(shift) {}
  ~stripe_holder() { let_go(); }
  stripe_holder(const stripe_holder&) = delete;
  stripe_holder& operator=(const stripe_holder&) = delete;

  void take(std::uint64_t stripe) noexcept;

 private:
  void let_go() noexcept;

  stripe_lock* locks_;
  stripe_lock* held_ = nullptr;
  std::uint64_t stripe_ = 0;
  std::uint8_t shift_;
};

/// Adds runs of one type under the locks of their stripes.
class locked_adder {
 public:
  locked_adder(stripe_lock* locks, std::uint8_t shift, const addend_facts& what,
               const scale_bytes& scale) noexcept
      : holder_(locks, shift), what_(what), scale_(scale) {}

  /// `offset`: of y in the owner's part.
  void add(std::byte* y, std::uint64_t offset, const std::byte* x, std::uint64_t bytes) noexcept;

 private:
  stripe_holder holder_;
  const addend_facts& what_;
  const scale_bytes& scale_;
};

/// Returns a shift, so that regions do not all begin with the same lock. The same at all ranks.
[[nodiscard]] inline std::uint8_t lock_shift(std::uint64_t region) noexcept {
  return static_cast<std::uint8_t>(random_bits(region, 0, 0) % stripe_locks);
}

/// The locks of this rank's memory, made on first use (4 KiB). Also the locks of peers to which it
/// added and whose memory it may load and store: about 350 bytes each, kept.
class owner_locks {
 public:
  explicit owner_locks(job& here);
  ~owner_locks();
  owner_locks(const owner_locks&) = delete;
  owner_locks& operator=(const owner_locks&) = delete;

  /// Returns the locks of this rank. Also in handlers: if handlers run on another thread, the locks
  /// are made at once.
  [[nodiscard]] stripe_lock* own();
  /// Returns the key by which peers find the locks. Otherwise as `own`.
  [[nodiscard]] const conduit::memory_key& own_key();

  /// Returns the locks of a peer. Null if they are not known or not reachable by loads and stores.
  [[nodiscard]] stripe_lock* of(int rank);

  /// Where the answer of a peer goes. False: it was asked before.
  struct peer_locks {
    owner_locks* home = nullptr;
    int rank = -1;
    conduit::memory_key key;
    std::size_t answered = 0;
    conduit::remote_memory memory;  ///< owner -1: not known
  };
  [[nodiscard]] peer_locks* to_ask(int rank);
  /// Notes that the answer has arrived: a callback.
  static void know(void* peer);

 private:
  job& here_;
  conduit::memory_block block_;
  std::unordered_map<int, peer_locks> peers_;  ///< node-based: addresses are stable
};

}  // namespace upwash::detail
