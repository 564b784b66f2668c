// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Whether private memory lies in huge pages: cross-memory attach is three times as fast then.
#pragma once

#include <cstddef>
#include <span>

namespace upwash::conduit::shm_detail {

/// Whether at least three quarters of the span lie in huge pages now. One system call on Linux
/// 6.7 and later; a walk through /proc/self/smaps before.
[[nodiscard]] bool mostly_huge(std::span<const std::byte> span);

}  // namespace upwash::conduit::shm_detail
