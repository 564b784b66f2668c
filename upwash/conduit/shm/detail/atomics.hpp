// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Atomic operations on words of shared memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "upwash/conduit/memory.hpp"

namespace upwash::conduit::shm_detail {

/// Applies one operation to the aligned word at `at`; the old value, widened, is returned.
/// Sequentially consistent: the operations of all ranks on all words have one order.
std::uint64_t apply_atomic(std::byte* at, const atomic_operation& operation);

}  // namespace upwash::conduit::shm_detail
