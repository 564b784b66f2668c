// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that peers can reach: segments allocated by the conduit, private spans registered with
// it, and a peer's memory as this process sees it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string_view>
#include <type_traits>

namespace upwash::conduit {

/// What a peer needs to reach a block: opaque bytes made by the owner's conduit. Large enough for
/// the packed remote keys of a network engine with several devices and another conduit's key.
struct memory_key {
  static constexpr std::size_t capacity = 252;

  std::uint32_t size = 0;  ///< bytes used: only they travel
  std::array<std::byte, capacity> bytes{};

  [[nodiscard]] std::span<const std::byte> used() const noexcept {
    return std::span(bytes).first(size);
  }
  /// Takes over what another holds, not the room behind it.
  void copy_from(const memory_key& other) noexcept {
    size = other.size;
    std::memcpy(bytes.data(), other.bytes.data(), other.size);
  }
};

/// A key that holds the bytes of a value.
template <class Value>
[[nodiscard]] memory_key key_of(const Value& value) noexcept {
  static_assert(std::is_trivially_copyable_v<Value> && sizeof(Value) <= memory_key::capacity);
  memory_key key;
  key.size = sizeof value;
  std::memcpy(key.bytes.data(), &value, sizeof value);
  return key;
}

/// The value back; bytes that the key lacks are zero.
template <class Value>
[[nodiscard]] Value value_of(const memory_key& key) noexcept {
  static_assert(std::is_trivially_copyable_v<Value> && sizeof(Value) <= memory_key::capacity);
  Value value;
  std::memset(static_cast<void*>(&value), 0, sizeof value);
  std::memcpy(static_cast<void*>(&value), key.bytes.data(),
              sizeof value < key.size ? sizeof value : key.size);
  return value;
}

/// A block of this process's memory that peers may reach.
struct memory_block {
  std::byte* base = nullptr;
  std::size_t size = 0;
  memory_key key;
};

/// A peer's block as seen from here. Made by `endpoint::import`; valid until `forget`.
struct remote_memory {
  int owner = -1;               ///< world rank
  std::byte* direct = nullptr;  ///< where loads and stores reach it, or null
  std::size_t size = 0;
  std::uint64_t handle = 0;  ///< the conduit's own
};

/// Operations on a word of 4 or 8 bytes; `operand` and `compare` hold the low bytes.
enum class atomic_kind : std::uint8_t {
  load,
  store,
  add,
  fetch_add,
  swap,
  compare_swap,
  bit_and,
  fetch_and,
  bit_or,
  fetch_or,
  bit_xor,
  fetch_xor,
  min_signed,
  fetch_min_signed,
  max_signed,
  fetch_max_signed,
  min_unsigned,
  fetch_min_unsigned,
  max_unsigned,
  fetch_max_unsigned,
};

inline constexpr std::size_t atomic_kind_count =
    static_cast<std::size_t>(atomic_kind::fetch_max_unsigned) + 1;

[[nodiscard]] std::string_view to_string(atomic_kind kind) noexcept;

/// A set of atomic operations, each a kind and a width of 4 or 8 bytes.
class atomic_set {
 public:
  constexpr atomic_set() = default;
  constexpr atomic_set(std::initializer_list<atomic_kind> kinds, bool narrow = true,
                       bool wide = true) noexcept {
    for (const atomic_kind kind : kinds) {
      if (narrow) narrow_ |= bit(kind);
      if (wide) wide_ |= bit(kind);
    }
  }
  [[nodiscard]] static constexpr atomic_set all() noexcept {
    atomic_set every;
    every.narrow_ = every.wide_ = (std::uint32_t{1} << atomic_kind_count) - 1;
    return every;
  }

  [[nodiscard]] constexpr bool contains(atomic_kind kind, std::size_t width) const noexcept {
    return ((width == 4 ? narrow_ : wide_) & bit(kind)) != 0;
  }
  [[nodiscard]] constexpr bool includes(const atomic_set& other) const noexcept {
    return (other & *this) == other;
  }
  [[nodiscard]] constexpr bool empty() const noexcept { return (narrow_ | wide_) == 0; }

  friend constexpr atomic_set operator&(atomic_set a, const atomic_set& b) noexcept {
    a.narrow_ &= b.narrow_;
    a.wide_ &= b.wide_;
    return a;
  }
  /// What `a` has and `b` lacks.
  friend constexpr atomic_set operator-(atomic_set a, const atomic_set& b) noexcept {
    a.narrow_ &= ~b.narrow_;
    a.wide_ &= ~b.wide_;
    return a;
  }
  friend constexpr bool operator==(const atomic_set&, const atomic_set&) noexcept = default;

 private:
  static constexpr std::uint32_t bit(atomic_kind kind) noexcept {
    return std::uint32_t{1} << static_cast<unsigned>(kind);
  }
  std::uint32_t narrow_ = 0;
  std::uint32_t wide_ = 0;
};

struct atomic_operation {
  atomic_kind kind = atomic_kind::fetch_add;
  std::uint8_t width = 8;  ///< 4 or 8; the offset is aligned to it
  std::uint64_t operand = 0;
  std::uint64_t compare = 0;
};

/// A signal that a put may carry: `add` is added to the 64-bit word at `offset` of `memory`
/// (same owner as the put's target) after the put's data is visible there.
struct put_signal {
  const remote_memory* memory = nullptr;
  std::size_t offset = 0;
  std::uint64_t add = 0;
};

}  // namespace upwash::conduit
