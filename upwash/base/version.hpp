// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The version of these headers, for the preprocessor, and of the library. CMake reads it here.
#pragma once

#define UPWASH_VERSION_MAJOR 0
#define UPWASH_VERSION_MINOR 1
#define UPWASH_VERSION_PATCH 0
#define UPWASH_VERSION "0.1.0"
/// For comparisons: `#if UPWASH_VERSION_NUMBER >= 10203` asks for 1.2.3.
#define UPWASH_VERSION_NUMBER \
  (UPWASH_VERSION_MAJOR * 10000 + UPWASH_VERSION_MINOR * 100 + UPWASH_VERSION_PATCH)

namespace upwash {

/// Returns the version, "1.2.3", of the library that this program runs with. UPWASH_VERSION is the
/// version of the headers with which the program was compiled. Local.
[[nodiscard]] const char* library_version() noexcept;

}  // namespace upwash
