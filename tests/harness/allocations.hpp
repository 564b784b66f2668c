// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Counts what a program allocates by `new`, for tests that say that nothing is.
#pragma once

#include <cstdint>

namespace upwash::test {

/// By all threads and ranks of this process so far. Under sanitizers, which have an operator `new`
/// of their own: always 0.
[[nodiscard]] std::uint64_t allocations() noexcept;

}  // namespace upwash::test
