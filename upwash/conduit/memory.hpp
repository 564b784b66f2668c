// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that peers can reach: segments allocated by the conduit, private spans registered with
// it, and a peer's memory as this process sees it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace upwash::conduit {

/// What a peer needs to reach a block: opaque bytes made by the owner's conduit. Large enough for
/// the packed remote keys of network engines with several devices.
struct memory_key {
  std::array<std::byte, 128> bytes{};
};

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
