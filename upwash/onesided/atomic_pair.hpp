// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Read-modify-write of small structures: swap and compare-and-swap of 16 bytes, for example a rank
// and an address in its memory. Source: Saify 2002, 5.2.3. Runs in place, or in a handler at the
// owner.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upwash/core/global_ptr.hpp"

namespace upwash {

class job;

/// Structures that are changed as a whole: 16 bytes, each of which distinguishes values (no
/// padding, no floating-point numbers).
template <class T>
concept atomic_pair = std::is_class_v<T> && sizeof(T) == 16 &&
                      std::is_trivially_copyable_v<T>&& std::has_unique_object_representations_v<T>;

namespace detail {

struct alignas(16) pair_bytes {
  std::array<std::uint64_t, 2> word{};
  friend constexpr bool operator==(const pair_bytes&, const pair_bytes&) = default;
};

enum class pair_change : std::uint8_t { load, swap, compare_swap };

struct pair_operands {
  pair_bytes value = {};
  pair_bytes expected = {};
};

/// Runs one change and returns the old value. Blocking.
pair_bytes change_pair(job& here, global_ptr<std::byte> at, pair_change what,
                       const pair_operands& with);

}  // namespace detail

/// Stores `value` at `at` and returns the old value. Blocking, makes progress. Not from a handler.
///
/// A change is whole with regard to the other changes of this header to the same 16 bytes, at any
/// rank and by either path. It is also whole with regard to accumulates of elements in these bytes.
/// Puts, gets, loads, stores and atomics of words are not included: a concurrent get may return
/// half of each value. Use `atomic_load` to read during changes.
///
/// Supported networks have no atomics of 16 bytes. If the memory is loaded and stored, the change
/// is made in place, under the owner's lock for its stripe of 8 KiB. Else a handler at the owner
/// makes the change under the same lock, which needs the owner's progress or its progress thread.
/// The first changes at a peer always use the handler: they fetch the keys of memory and locks.
///
/// O(1): one call of the owner and its answer, or no message. Throws `error` (argument) for a
/// location out of bounds or at no multiple of 16 bytes, a rank that does not exist, and a region
/// that this rank does not know.
/// @code
/// struct alignas(16) location {
///   std::uint64_t rank, address;
/// };
/// bool replace(upwash::job& here, upwash::global_ptr<location> tail) {
///   const location before = upwash::swap(here, tail, location{2, 64});
///   const location found = upwash::compare_swap(here, tail, location{2, 64}, before);
///   return found.rank == 2 && found.address == 64;
/// }
/// @endcode
template <atomic_pair T>
T swap(job& here, global_ptr<T> at, const std::type_identity_t<T>& value) {
  return std::bit_cast<T>(detail::change_pair(here, at.template as<std::byte>(),
                                              detail::pair_change::swap,
                                              {std::bit_cast<detail::pair_bytes>(value)}));
}

/// Stores `value` if all bytes equal those of `expected`. Returns the old value. Otherwise as
/// `swap`.
template <atomic_pair T>
T compare_swap(job& here, global_ptr<T> at, const std::type_identity_t<T>& expected,
               const std::type_identity_t<T>& value) {
  return std::bit_cast<T>(detail::change_pair(
      here, at.template as<std::byte>(), detail::pair_change::compare_swap,
      {std::bit_cast<detail::pair_bytes>(value), std::bit_cast<detail::pair_bytes>(expected)}));
}

/// Returns the value between two changes. Otherwise as `swap`.
template <atomic_pair T>
[[nodiscard]] T atomic_load(job& here, global_ptr<T> at) {
  return std::bit_cast<T>(
      detail::change_pair(here, at.template as<std::byte>(), detail::pair_change::load, {}));
}

}  // namespace upwash
