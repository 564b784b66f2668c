// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The vector compares of vectors and fingerprints, in one file, so that no other file includes the
// library.
#pragma once

#include <cstdint>

#include "upwash/matching/engines/envelope.hpp"

namespace upwash::matching::detail {

/// Keys compared together: 512 bits of tags.
inline constexpr std::uint32_t lanes = 16;
/// Fingerprints that a compare may read after the given end.
inline constexpr std::uint32_t slack = 64;

struct key_rows {
  const std::int32_t* tags;
  const std::int32_t* sources;
  const std::int32_t* contexts;
};

/// Returns the first index in [from, end) whose key matches, else `end` or more. Reads up to
/// `lanes` keys after the end.
[[nodiscard]] std::uint32_t next_fitting(const key_rows& keys, std::uint32_t from,
                                         std::uint32_t end, const envelope& wanted) noexcept;

/// Returns the first index in [from, end) with this fingerprint, else `end` or more.
[[nodiscard]] std::uint32_t next_equal(const std::uint16_t* prints, std::uint32_t from,
                                       std::uint32_t end, std::uint16_t wanted) noexcept;
/// Returns the first index with any of four fingerprints, else `end` or more.
[[nodiscard]] std::uint32_t next_of_four(const std::uint16_t* prints, std::uint32_t from,
                                         std::uint32_t end, const std::uint16_t* wanted) noexcept;

}  // namespace upwash::matching::detail
