// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// CRC-32C (Castagnoli), as in iSCSI and file systems: detects every burst of up to 32 damaged bits.
// Uses tables, eight bytes a step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace upwash {

/// Returns the CRC-32C of `bytes`, continuing from checksum `before` (0 at the start).
[[nodiscard]] std::uint32_t crc32c(std::span<const std::byte> bytes,
                                   std::uint32_t before = 0) noexcept;

}  // namespace upwash
