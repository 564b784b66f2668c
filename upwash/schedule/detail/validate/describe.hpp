// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Steps and buffers in words, for the errors of the validator.
#pragma once

#include <cstddef>
#include <string>

#include "upwash/schedule/step.hpp"

namespace upwash::schedule::detail {

/// Returns for example "rank 1, step 0 (receive, round 0)".
[[nodiscard]] std::string describe(int rank, std::size_t number, const step& s);

}  // namespace upwash::schedule::detail
