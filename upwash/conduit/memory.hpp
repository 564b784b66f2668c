// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that peers can reach: segments allocated by the conduit, private spans registered with it,
// and a peer's memory as this process sees it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "upwash/base/memory_block.hpp"
#include "upwash/base/words.hpp"

namespace upwash::conduit {

// Types that programs may name, too, are in base/.
using upwash::atomic_kind;
using upwash::atomic_kind_count;
using upwash::atomic_operation;
using upwash::atomic_set;
using upwash::key_of;
using upwash::memory_block;
using upwash::memory_key;
using upwash::remote_memory;
using upwash::value_of;

/// A signal that a put may carry. `add` is added to the 64-bit word at `offset` of `memory` (same
/// owner as the put's target) after the put's data is visible there.
struct put_signal {
  const remote_memory* memory = nullptr;
  std::size_t offset = 0;
  std::uint64_t add = 0;
};

}  // namespace upwash::conduit
