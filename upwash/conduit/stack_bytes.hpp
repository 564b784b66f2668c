// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The stack of a rank that is a fiber.
#pragma once

#include <cstddef>

#include "upwash/base/knobs.hpp"

namespace upwash::conduit {

/// Of ranks whose time is real: the address space that a process of its own has for its stack.
/// Pages are committed as they are touched.
inline constexpr std::size_t real_stack_bytes = std::size_t{8} << 20U;

/// Of simulated ones, of which there are more.
inline constexpr std::size_t simulated_stack_bytes = std::size_t{256} << 10U;

/// What the knob stack_bytes says, `otherwise` where it says nothing. Programs on a conduit alone
/// may have no such knob.
[[nodiscard]] inline std::size_t stack_bytes(const settings& values, std::size_t otherwise) {
  for (const settings::value& one : values.values()) {
    if (one.row.name != "stack_bytes") continue;
    const std::uint64_t chosen = values.bytes("stack_bytes");
    return chosen != 0 ? chosen : otherwise;
  }
  return otherwise;
}

}  // namespace upwash::conduit
