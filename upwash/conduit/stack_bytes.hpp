// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The stack size of a rank that is a fiber.
#pragma once

#include <cstddef>

#include "upwash/base/knobs.hpp"

namespace upwash::conduit {

/// For ranks with real time: the address space that a process has for its stack. Pages are
/// committed as they are touched.
inline constexpr std::size_t real_stack_bytes = std::size_t{8} << 20U;

/// For simulated ranks, which are more numerous.
inline constexpr std::size_t simulated_stack_bytes = std::size_t{256} << 10U;

/// Returns the value of the knob stack_bytes, or `otherwise` if the knob is not set. Programs on a
/// conduit alone may lack this knob.
[[nodiscard]] inline std::size_t stack_bytes(const settings& values, std::size_t otherwise) {
  for (const settings::value& one : values.values()) {
    if (one.row.name != "stack_bytes") continue;
    const std::uint64_t chosen = values.bytes("stack_bytes");
    return chosen != 0 ? chosen : otherwise;
  }
  return otherwise;
}

}  // namespace upwash::conduit
