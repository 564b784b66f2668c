// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace upwash::observe {

/// Which count of its team the number of an operation belongs to. Epochs: of quiescence, ends of
/// streams among them.
enum class series : std::uint8_t { none, barriers, controls, collectives, epochs };

}  // namespace upwash::observe
