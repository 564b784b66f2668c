// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Tests of pure computation over many ranks run on fewer under a sanitizer, which makes them ten
// times as slow and sees the same code.
#pragma once

namespace upwash::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace upwash::test
