// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace upwash::observe {

/// Which count of its team the number of an operation belongs to.
enum class series : std::uint8_t { none, barriers, controls, collectives };

}  // namespace upwash::observe
