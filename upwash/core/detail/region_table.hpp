// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The regions of which a rank is a member, and its peers' parts as reachable from here. A part is
// fetched on first use. A put of 8 bytes runs through the inline path.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "upwash/base/memory_block.hpp"
#include "upwash/base/words.hpp"

namespace upwash {

/// The executor of a region's atomics. All accesses take one path, because mixing loses updates.
enum class atomicity : std::uint8_t {
  automatic,  ///< the first possible one of the following
  processor,  ///< by the calling processor; all members need direct access to each other
  network,    ///< by the conduit, which must support the region's atomics between any two members
  owner,      ///< by messages to the owner
};

namespace detail {

class footing;

/// A peer's part of a region as reachable from here.
struct part {
  int rank = -1;
  std::byte* direct = nullptr;
  std::size_t size = 0;
  remote_memory memory;
  bool pinned = false;  ///< its address was handed out: reachable until the region is freed
};

struct region_state {
  std::uint64_t bits = 0;
  std::uint64_t team = 0;
  atomicity atomics = atomicity::owner;
  atomic_set uses;              ///< the intended atomics
  std::size_t least_bytes = 0;  ///< smallest part; if equal to most_bytes, all parts are equal
  std::size_t most_bytes = 0;
  // Relaxed: counts, written under the engine's lock.
  std::atomic<std::size_t> under_way{0};  ///< operations of this rank on it in the engine
  std::atomic<std::size_t> awaited{0};    ///< their stages that a program waits for
  int rank = -1;
  memory_block own;
  /// Direct-mapped by rank. The table grows with the number of reached peers up to max_slots:
  /// memory is bounded for any number of ranks.
  std::vector<part> parts;
  std::vector<remote_memory> kept;  ///< pinned parts that lost their slot
};

class region_table {
 public:
  static constexpr std::size_t max_slots = 1024;
  static constexpr std::size_t first_slots = 8;

  region_table(footing& below, int rank) noexcept;
  ~region_table();
  region_table(const region_table&) = delete;
  region_table& operator=(const region_table&) = delete;

  region_state& add(std::uint64_t bits, const memory_block& own);
  void remove(std::uint64_t bits);
  [[nodiscard]] region_state* find(std::uint64_t bits) noexcept;
  [[nodiscard]] region_state* containing(const void* local) noexcept;
  [[nodiscard]] std::size_t count() const noexcept { return by_id_.size(); }

  /// Returns the address of [offset, offset + bytes) of `rank`'s part for loads and stores. Null if
  /// the part is not directly addressable or not fetched yet, if the range is out of bounds, or if
  /// the region is unknown.
  [[nodiscard]] std::byte* direct(int rank, std::uint64_t bits, std::uint64_t offset,
                                  std::size_t bytes) noexcept {
    region_state* region = last_;
    if (region == nullptr || region->bits != bits) [[unlikely]] {
      region = traced_ ? nullptr : find(bits);
      if (region == nullptr) return nullptr;
      last_ = region;
    }
    return address(slot(*region, rank), rank, offset, bytes);
  }

  /// Returns the address for an atomic on an aligned word. Null if the processor must not execute
  /// it.
  [[nodiscard]] std::byte* direct_atomic(int rank, std::uint64_t bits, std::uint64_t offset,
                                         std::size_t width) noexcept {
    if (offset % width != 0) [[unlikely]]
      return nullptr;
    std::byte* at = direct(rank, bits, offset, width);
    return at != nullptr && last_->atomics == atomicity::processor ? at : nullptr;
  }

  /// Returns the part of `rank` if it has been fetched, else null.
  [[nodiscard]] part* fetched(region_state& region, int rank) noexcept {
    part& peer = slot(region, rank);
    return peer.rank == rank ? &peer : nullptr;
  }

  /// Returns an address as `direct` does, for a program that keeps it.
  [[nodiscard]] std::byte* pinned(int rank, std::uint64_t bits, std::uint64_t offset,
                                  std::size_t bytes) noexcept {
    region_state* const region = last_ != nullptr && last_->bits == bits ? last_ : find(bits);
    if (region == nullptr) return nullptr;
    part& peer = slot(*region, rank);
    std::byte* const at = address(peer, rank, offset, bytes);
    if (at != nullptr) peer.pinned = true;
    return at;
  }

  /// Enters a fetched part. Another rank's part in the same slot is forgotten, or kept if pinned.
  part& enter(region_state& region, int rank, const memory_key& key, std::size_t size);

 private:
  static part& slot(region_state& region, int rank) noexcept {
    return region.parts[static_cast<std::size_t>(rank) & (region.parts.size() - 1)];
  }
  static std::byte* address(const part& peer, int rank, std::uint64_t offset,
                            std::size_t bytes) noexcept {
    if (peer.rank != rank || peer.direct == nullptr) [[unlikely]]
      return nullptr;
    if (offset > peer.size || bytes > peer.size - offset) [[unlikely]]
      return nullptr;
    return peer.direct + offset;
  }
  static void grow(region_state& region);
  void forget_all(region_state& region);

  footing& below_;
  int rank_;
  bool traced_;  ///< accesses go through the endpoint, which records them: `last_` stays null
  region_state* last_ = nullptr;
  std::unordered_map<std::uint64_t, std::unique_ptr<region_state>> by_id_;
  std::map<const std::byte*, region_state*> by_address_;
};

}  // namespace detail
}  // namespace upwash
