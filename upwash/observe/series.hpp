// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace upwash::observe {

/// The count of its team to which the number of an operation belongs. Epochs: of quiescence,
/// including the ends of streams.
enum class series : std::uint8_t { none, barriers, controls, collectives, epochs };

}  // namespace upwash::observe
