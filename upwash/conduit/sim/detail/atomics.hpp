// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "upwash/conduit/memory.hpp"

namespace upwash::conduit::sim {

/// Applies the operation to the word of 4 or 8 bytes there; the old value.
std::uint64_t apply_atomic(const atomic_operation& operation, std::byte* word);

}  // namespace upwash::conduit::sim
