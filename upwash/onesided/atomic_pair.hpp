// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Read-modify-write of small structures: swap and compare-and-swap of 16 bytes, such as a rank and
// an address in its memory. After Saify 2002, 5.2.3.
//
//   struct alignas(16) place { std::uint64_t rank, address; };
//   const place before = swap(here, tail, place{2, 64});
//   if (compare_swap(here, tail, before, place{}) == before) ...
//
// A change is whole with regard to the others that this header makes of the same 16 bytes, whoever
// makes them and however they reach the place, and to accumulates of elements that lie in them.
// Puts, gets, loads, stores and the atomics of words are not among these: a get beside a swap may
// bring half of each. What is to be read meanwhile is read by `atomic_load`. No network here
// carries out atomics of 16 bytes, so where memory is loaded and stored a change is made in place,
// under the owner's lock for the stripe of 8 KiB that it lies in; else by a handler at the owner,
// under the same lock, which needs its progress or its progress thread. The first ones to a peer go
// that way always: they fetch the keys of memory and locks.
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

/// Structures that are changed as a whole: 16 bytes, each of which tells one value from another
/// (no padding, no floating-point numbers).
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

/// Blocking; what was there before.
pair_bytes change_pair(job& here, global_ptr<std::byte> at, pair_change what,
                       const pair_operands& with);

}  // namespace detail

/// Stores `value`; returns what was there. Blocking, makes progress; not from a handler. Throws
/// `error` (argument) for places out of bounds or at no multiple of 16 bytes, a rank that does not
/// exist and a region that this rank does not know. O(1); one call of the owner and its answer, or
/// none.
template <atomic_pair T>
T swap(job& here, global_ptr<T> at, const std::type_identity_t<T>& value) {
  return std::bit_cast<T>(detail::change_pair(here, at.template as<std::byte>(),
                                              detail::pair_change::swap,
                                              {std::bit_cast<detail::pair_bytes>(value)}));
}

/// Stores `value` where all bytes equal those of `expected`; returns what was there. As swap.
template <atomic_pair T>
T compare_swap(job& here, global_ptr<T> at, const std::type_identity_t<T>& expected,
               const std::type_identity_t<T>& value) {
  return std::bit_cast<T>(detail::change_pair(
      here, at.template as<std::byte>(), detail::pair_change::compare_swap,
      {std::bit_cast<detail::pair_bytes>(value), std::bit_cast<detail::pair_bytes>(expected)}));
}

/// What is there, between two changes. As swap.
template <atomic_pair T>
[[nodiscard]] T atomic_load(job& here, global_ptr<T> at) {
  return std::bit_cast<T>(
      detail::change_pair(here, at.template as<std::byte>(), detail::pair_change::load, {}));
}

}  // namespace upwash
