// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The inline test whether a place is directly addressable, for puts, gets and atomics.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "upwash/base/word_copy.hpp"
#include "upwash/core/detail/region_table.hpp"
#include "upwash/core/global_ptr.hpp"
#include "upwash/core/job.hpp"

namespace upwash::detail {

struct direct_access {
  static region_table& regions(job& here) noexcept { return *here.regions_; }
  static upwash::counters& counters(job& here) noexcept { return here.counters_; }
  static std::uint8_t& calls(job& here) noexcept { return here.memory_calls_; }
};

/// Lets others go on, as in a wait (host::give_turn).
void give_turn(job& here);

/// The end of a blocking call. A program may loop over such calls until a peer does something,
/// which may need this rank first, while none of them has to wait: so some give others a turn.
inline void end_blocking_call(job& here) {
  constexpr unsigned calls_a_turn = 64;
  if (++direct_access::calls(here) % calls_a_turn == 0) [[unlikely]]
    give_turn(here);
}

template <class T>
[[nodiscard]] inline std::byte* direct_put(job& here, global_ptr<T> to, std::size_t bytes) {
  std::byte* at =
      direct_access::regions(here).direct(to.rank(), to.region_bits(), to.offset(), bytes);
  if (at != nullptr) [[likely]] {
    ++direct_access::counters(here).puts;
    direct_access::counters(here).put_bytes += bytes;
  }
  return at;
}

template <class T>
[[nodiscard]] inline const std::byte* direct_get(job& here, global_ptr<T> from, std::size_t bytes) {
  const std::byte* at =
      direct_access::regions(here).direct(from.rank(), from.region_bits(), from.offset(), bytes);
  if (at != nullptr) [[likely]] {
    ++direct_access::counters(here).gets;
    direct_access::counters(here).get_bytes += bytes;
  }
  return at;
}

/// A put to memory that peers load from: done means visible, so whatever this rank stores next is
/// seen after it, on processors that reorder stores too.
inline void store_bytes(std::byte* to, const void* from, std::size_t bytes) noexcept {
  store_words(to, static_cast<const std::byte*>(from), bytes);
  std::atomic_thread_fence(std::memory_order_release);
}

/// The same for one value: a word in one store, which whoever looks at it sees whole, and after
/// what was put before.
template <class T>
void store_value(std::byte* to, const T& value) noexcept {
  if constexpr (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8) {
    if (is_word_aligned<sizeof(T)>(to)) {
      const auto bits = std::bit_cast<sized_word<sizeof(T)>>(value);
      __atomic_store_n(reinterpret_cast<sized_word<sizeof(T)>*>(to), bits, __ATOMIC_RELEASE);
      return;
    }
  }
  store_bytes(to, &value, sizeof value);
}

/// A value that peers may store meanwhile: a word in one load.
template <class T>
[[nodiscard]] T load_value(const std::byte* from) noexcept {
  if constexpr (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8) {
    if (is_word_aligned<sizeof(T)>(from)) {
      const auto* word = reinterpret_cast<const sized_word<sizeof(T)>*>(from);
      return std::bit_cast<T>(__atomic_load_n(word, __ATOMIC_ACQUIRE));
    }
  }
  T value;
  load_words(reinterpret_cast<std::byte*>(&value), from, sizeof value);
  return value;
}

/// As `direct`, fetching the peer's key first when it is not known yet.
[[nodiscard]] std::byte* direct_address(job& here, global_ptr<std::byte> at, std::size_t bytes);

}  // namespace upwash::detail
