// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// CRC-32C (Castagnoli), as iSCSI and file systems use it: finds every burst of up to 32 damaged
// bits. By tables of eight bytes a step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace upwash {

/// Of what came before, whose sum is `before`, and these bytes; 0 before anything.
[[nodiscard]] std::uint32_t crc32c(std::span<const std::byte> bytes,
                                   std::uint32_t before = 0) noexcept;

}  // namespace upwash
