// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the conduit writes into a memory_key.
#pragma once

#include <cstdint>

#include "upwash/conduit/memory.hpp"

namespace upwash::conduit::shm_detail {

enum class key_kind : std::uint8_t { none, segment, span };

/// A piece of a memory file of the owner's process.
struct segment_key {
  key_kind kind = key_kind::segment;
  std::uint8_t unused[3] = {};
  std::int32_t fd = -1;
  std::uint32_t serial = 0;
  std::uint32_t file_pages = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// A registered span of the owner's private memory.
struct span_key {
  key_kind kind = key_kind::span;
  bool huge = false;  ///< in huge pages, mostly
  std::uint8_t unused[6] = {};
  std::uint64_t name = 0;  ///< in the owner's table
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

[[nodiscard]] inline key_kind kind_of(const memory_key& packed) {
  return packed.size == 0 ? key_kind::none : static_cast<key_kind>(packed.bytes[0]);
}

}  // namespace upwash::conduit::shm_detail
