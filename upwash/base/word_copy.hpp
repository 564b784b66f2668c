// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Copies to and from memory that other threads or processes load and store at the same time.
// std::memcpy with a length known at run time may store a byte twice: glibc copies 8 to 15 bytes by
// two overlapping words, and 8 bytes by two stores to the same place. The second store overwrites
// the value with which another rank has answered the first. So each aligned word is one store here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace upwash {

/// Copies of at most this number of bytes access each aligned word once; longer ones are memcpy.
inline constexpr std::size_t most_copied_by_words = 64;

/// Whether `at` is the address of a word of `Bytes` bytes.
template <std::size_t Bytes>
[[nodiscard]] inline bool is_word_aligned(const void* at) noexcept {
  return reinterpret_cast<std::uintptr_t>(at) % Bytes == 0;
}

namespace detail {

/// The unsigned integer of `Bytes` bytes: 1, 2, 4 or 8.
template <std::size_t Bytes>
using sized_word = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<Bytes == 2, std::uint16_t,
                       std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;

/// One store of `Bytes` bytes to the aligned `to`; release.
struct word_store {
  template <std::size_t Bytes>
  static void move(std::byte* to, const std::byte* from) noexcept {
    sized_word<Bytes> word;
    std::memcpy(&word, from, Bytes);
    __atomic_store_n(reinterpret_cast<sized_word<Bytes>*>(to), word, __ATOMIC_RELEASE);
  }
  /// Two words of 8 bytes by one store or two: a copy of known length never stores a byte twice.
  static void move_pair(std::byte* to, const std::byte* from) noexcept {
    __atomic_thread_fence(__ATOMIC_RELEASE);
    std::memcpy(to, from, 16);
  }
};

/// One load of `Bytes` bytes from the aligned `from`; acquire.
struct word_load {
  template <std::size_t Bytes>
  static void move(std::byte* to, const std::byte* from) noexcept {
    const sized_word<Bytes> word =
        __atomic_load_n(reinterpret_cast<const sized_word<Bytes>*>(from), __ATOMIC_ACQUIRE);
    std::memcpy(to, &word, Bytes);
  }
  /// Two words of 8 bytes by one load or two.
  static void move_pair(std::byte* to, const std::byte* from) noexcept {
    std::memcpy(to, from, 16);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
  }
};

/// Moves the words of [shared, shared + bytes) in ascending order, each by one access of the
/// largest size that its address and the end of the range allow. No inline code: each put of a
/// program would have a copy.
template <class Access>
[[gnu::noinline]] void move_words(std::byte* to, const std::byte* from, std::size_t bytes,
                                  std::uintptr_t shared) noexcept {
  const auto move = [&]<std::size_t Bytes>(std::integral_constant<std::size_t, Bytes>) {
    Access::template move<Bytes>(to, from);
    to += Bytes;
    from += Bytes;
    shared += Bytes;
    bytes -= Bytes;
  };
  constexpr std::integral_constant<std::size_t, 1> byte{};
  constexpr std::integral_constant<std::size_t, 2> half{};
  constexpr std::integral_constant<std::size_t, 4> single{};
  constexpr std::integral_constant<std::size_t, 8> full{};
  if ((shared & 7U) != 0) {
    if (bytes >= 1 && (shared & 1U) != 0) move(byte);
    if (bytes >= 2 && (shared & 2U) != 0) move(half);
    if (bytes >= 4 && (shared & 4U) != 0) move(single);
  }
  for (; bytes >= 16; bytes -= 16, to += 16, from += 16) Access::move_pair(to, from);
  if (bytes == 0) return;
  if (bytes >= 8) move(full);
  if (bytes >= 4) move(single);
  if (bytes >= 2) move(half);
  if (bytes >= 1) move(byte);
}

}  // namespace detail

/// Copies `bytes` bytes from private memory to shared memory; the ranges do not overlap. At most
/// `most_copied_by_words` bytes: every aligned word of 1, 2, 4 or 8 bytes is stored once and whole,
/// in ascending order, after all earlier stores of the caller. More bytes: std::memcpy.
inline void store_words(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  if (bytes == 8 && is_word_aligned<8>(to)) {
    detail::word_store::move<8>(to, from);
  } else if (bytes <= most_copied_by_words) {
    detail::move_words<detail::word_store>(to, from, bytes, reinterpret_cast<std::uintptr_t>(to));
  } else {
    std::memcpy(to, from, bytes);
  }
}

/// Copies `bytes` bytes from shared memory to private memory; the ranges do not overlap. At most
/// `most_copied_by_words` bytes: every aligned word of 1, 2, 4 or 8 bytes is loaded once and whole,
/// in ascending order, before all later loads of the caller. More bytes: std::memcpy.
inline void load_words(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  if (bytes == 8 && is_word_aligned<8>(from)) {
    detail::word_load::move<8>(to, from);
  } else if (bytes <= most_copied_by_words) {
    detail::move_words<detail::word_load>(to, from, bytes, reinterpret_cast<std::uintptr_t>(from));
  } else {
    std::memcpy(to, from, bytes);
  }
}

}  // namespace upwash
