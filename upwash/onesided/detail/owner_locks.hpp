// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The locks under which accumulates, and changes of pairs, change the memory of a rank: stripes of
// its regions share 64 of them, which lie in memory that whoever loads and stores the regions does,
// too. An element is changed under the lock of the stripe that its first byte is in, whoever
// changes it: the owner, a handler for somebody else, a peer.
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

/// A line of its own. 0: free.
struct alignas(64) stripe_lock {
  std::uint32_t taken = 0;
};
inline constexpr std::uint64_t stripe_bytes = 8192;
inline constexpr std::uint64_t stripe_locks = 64;

/// Holds the lock of one stripe at a time, so that nobody waits for two, and the last one until it
/// goes: short, without calls of the library meanwhile.
class stripe_holder {
 public:
  /// `shift`: of the region, lock_shift.
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

/// Adds runs of one type under the locks of the stripes they are in.
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

/// So that regions do not all begin with the same lock. The same at all ranks.
[[nodiscard]] inline std::uint8_t lock_shift(std::uint64_t region) noexcept {
  return static_cast<std::uint8_t>(random_bits(region, 0, 0) % stripe_locks);
}

/// The locks of this rank's memory, made on first use (4 KiB), and those of the peers that it added
/// to and whose memory it may load and store: about 350 bytes each, kept.
class owner_locks {
 public:
  explicit owner_locks(job& here);
  ~owner_locks();
  owner_locks(const owner_locks&) = delete;
  owner_locks& operator=(const owner_locks&) = delete;

  /// Of this rank. In handlers too: where these run on another thread, they are made at once.
  [[nodiscard]] stripe_lock* own();
  /// How peers find them. As own.
  [[nodiscard]] const conduit::memory_key& own_key();

  /// Of a peer; null: not known, or not where loads and stores reach them.
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
  /// The answer is there: a callback.
  static void know(void* peer);

 private:
  job& here_;
  conduit::memory_block block_;
  std::unordered_map<int, peer_locks> peers_;  ///< nodes: they stay where they are
};

}  // namespace upwash::detail
