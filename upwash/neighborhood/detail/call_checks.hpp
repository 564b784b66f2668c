// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The checks of a neighbor collective before its start, in addition to lengths and buffers.
#pragma once

#include <cstdint>

#include "upwash/base/call_site.hpp"
#include "upwash/neighborhood/neighbor_call.hpp"

namespace upwash::neighborhoods::detail {

[[nodiscard]] const char* name_of(what of) noexcept;

/// Throws `error` (argument) for options without meaning here. In checked runs members compare
/// collective, scheme and length before any of them plans; nonblocking. `bytes`: 0 if members have
/// different lengths.
void check_options(const neighborhood& on, what of, std::uint64_t bytes,
                   const neighbor_options& how, call_site site);

/// Throws `error` (argument) if a block of the output overlaps another one, or one of the input.
/// The blocks must lie within their buffers. O(n log n).
void check_blocks_apart(const neighborhood& on, const uneven_call& all);

}  // namespace upwash::neighborhoods::detail
