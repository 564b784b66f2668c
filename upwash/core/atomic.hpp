// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Atomics solve this problem: several ranks update one word, and no update may be lost. They work
// on words of 4 or 8 bytes in regions. The region's atomicity decides whether the processor, the
// network or the owner executes them. All atomics on one word are sequentially consistent among
// themselves.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "upwash/base/apply_atomic.hpp"
#include "upwash/core/detail/direct.hpp"
#include "upwash/core/global_ptr.hpp"
#include "upwash/core/request.hpp"

namespace upwash {

/// The integer types of 4 or 8 bytes that atomics accept.
template <class T>
concept atomic_word = std::is_integral_v<T> &&(sizeof(T) == 4 || sizeof(T) == 8);

namespace detail {

/// Returns the word's address if this processor may change it atomically itself, else null.
[[nodiscard]] inline std::byte* direct_atomic(job& here, global_ptr<std::byte> at,
                                              std::size_t width) {
  return direct_access::regions(here).direct_atomic(at.rank(), at.region_bits(), at.offset(),
                                                    width);
}

request atomic_slow(job& here, global_ptr<std::byte> at, const atomic_operation& what,
                    std::uint64_t* old);

/// Runs one atomic and returns the old value. Blocking.
std::uint64_t atomic_wait(job& here, global_ptr<std::byte> at, const atomic_operation& what);

template <atomic_word T>
[[nodiscard]] constexpr std::uint64_t bits_of(T value) noexcept {
  return static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<T>>(value));
}

}  // namespace detail

/// Runs `kind` on the word at `at` and returns the old value (unspecified for store). Blocking. Not
/// from a handler, unless the memory is directly addressable. For min and max choose the signed or
/// unsigned kind that fits T.
template <atomic_word T>
T atomic(job& here, global_ptr<T> at, atomic_kind kind, std::type_identity_t<T> operand,
         std::type_identity_t<T> compare = {}) {
  const atomic_operation what{kind, sizeof(T), detail::bits_of(operand), detail::bits_of(compare)};
  const auto place = at.template as<std::byte>();
  T seen;
  if (std::byte* word = detail::direct_atomic(here, place, sizeof(T))) {
    ++detail::direct_access::counters(here).atomics;
    seen = static_cast<T>(apply_atomic_word<std::make_unsigned_t<T>>(word, what));
  } else {
    seen = static_cast<T>(detail::atomic_wait(here, place, what));
  }
  detail::end_blocking_call(here);
  return seen;
}

/// Runs `kind` on the word at `at` without blocking. When the request is complete, `*old` holds the
/// old value, zero-extended. `old` may be null.
template <atomic_word T>
[[nodiscard]] request atomic_async(job& here, global_ptr<T> at, atomic_kind kind,
                                   std::type_identity_t<T> operand, std::type_identity_t<T> compare,
                                   std::uint64_t* old) {
  return detail::atomic_slow(here, at.template as<std::byte>(),
                             {kind, sizeof(T), detail::bits_of(operand), detail::bits_of(compare)},
                             old);
}

/// Adds `value` to the word at `at`. Returns the old value. Blocking.
/// @code
/// // One counter for all ranks, in the part of rank 0: each rank draws a ticket.
/// int draw(upwash::job& job) {
///   upwash::region counter = upwash::allocate(job.world(), sizeof(std::int64_t));
///   const auto ticket = upwash::fetch_add(job, counter.at<std::int64_t>(0), 1);
///   upwash::free(counter);
///   return static_cast<int>(ticket);
/// }
/// @endcode
template <atomic_word T>
T fetch_add(job& here, global_ptr<T> at, std::type_identity_t<T> value) {
  return atomic(here, at, atomic_kind::fetch_add, value);
}
/// Adds `value` to the word at `at`. Blocking.
template <atomic_word T>
void add(job& here, global_ptr<T> at, std::type_identity_t<T> value) {
  static_cast<void>(atomic(here, at, atomic_kind::add, value));
}
/// Stores `value` in the word at `at`. Returns the old value. Blocking.
template <atomic_word T>
T swap(job& here, global_ptr<T> at, std::type_identity_t<T> value) {
  return atomic(here, at, atomic_kind::swap, value);
}
/// Stores `value` if the word at `at` equals `expected`. Returns the old value. Blocking.
template <atomic_word T>
T compare_swap(job& here, global_ptr<T> at, std::type_identity_t<T> expected,
               std::type_identity_t<T> value) {
  return atomic(here, at, atomic_kind::compare_swap, value, expected);
}
/// Stores the lesser of the word and `value`, compared as type T. Returns the old value. Blocking.
template <atomic_word T>
T fetch_min(job& here, global_ptr<T> at, std::type_identity_t<T> value) {
  return atomic(
      here, at,
      std::is_signed_v<T> ? atomic_kind::fetch_min_signed : atomic_kind::fetch_min_unsigned, value);
}
/// Stores the larger of the word and `value`, compared as type T. Returns the old value. Blocking.
template <atomic_word T>
T fetch_max(job& here, global_ptr<T> at, std::type_identity_t<T> value) {
  return atomic(
      here, at,
      std::is_signed_v<T> ? atomic_kind::fetch_max_signed : atomic_kind::fetch_max_unsigned, value);
}
/// Reads the word in one piece. Blocking.
template <atomic_word T>
T atomic_load(job& here, global_ptr<T> at) {
  return atomic(here, at, atomic_kind::load, T{});
}
/// Writes the word in one piece. Blocking.
template <atomic_word T>
void atomic_store(job& here, global_ptr<T> at, std::type_identity_t<T> value) {
  static_cast<void>(atomic(here, at, atomic_kind::store, value));
}

}  // namespace upwash
