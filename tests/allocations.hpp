// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What this program has asked for by `new`, all threads and ranks of the process together.
#pragma once

#include <cstdint>

#include "tests/sanitized.hpp"

namespace upwash::test {

/// Sanitizers have their own `operator new`.
inline constexpr bool counts_allocations = !sanitized;

/// How often since the program began; always 0 where it is not counted.
[[nodiscard]] std::uint64_t allocations() noexcept;
/// Bytes since the program began, given back or not; always 0 where they are not counted.
[[nodiscard]] std::uint64_t allocated_bytes() noexcept;

}  // namespace upwash::test
