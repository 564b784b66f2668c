// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files in memory that only their user may open.
#pragma once

namespace upwash {

/// Creates a file in memory that closes on exec and can be sealed, with mode 0600: the kernel's
/// default is 0777.
/// Returns its descriptor, or -1 with errno set. `name` is for /proc alone.
[[nodiscard]] int private_memfd(const char* name) noexcept;

}  // namespace upwash
