// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that peers can reach: a block of this process, the key by which peers reach it, and a
// peer's memory as this process sees it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace upwash {

/// The key by which a peer reaches a block: opaque bytes made by the owner's conduit. Large enough
/// for the packed remote keys of a network engine with several devices and another conduit's key.
struct memory_key {
  static constexpr std::size_t capacity = 252;

  std::uint32_t size = 0;  ///< used bytes: only these travel
  std::array<std::byte, capacity> bytes{};

  [[nodiscard]] std::span<const std::byte> used() const noexcept {
    return std::span(bytes).first(size);
  }
  /// Copies the used bytes of `other`, without the unused space.
  void copy_from(const memory_key& other) noexcept {
    size = other.size;
    std::memcpy(bytes.data(), other.bytes.data(), other.size);
  }
};

/// Returns a key that holds the bytes of a value.
template <class Value>
[[nodiscard]] memory_key key_of(const Value& value) noexcept {
  static_assert(std::is_trivially_copyable_v<Value> && sizeof(Value) <= memory_key::capacity);
  memory_key key;
  key.size = sizeof value;
  std::memcpy(key.bytes.data(), &value, sizeof value);
  return key;
}

/// Returns the value in a key. Bytes that the key lacks are zero.
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
  std::byte* direct = nullptr;  ///< address for loads and stores, or null
  std::size_t size = 0;
  std::uint64_t handle = 0;  ///< the conduit's own
};

}  // namespace upwash
