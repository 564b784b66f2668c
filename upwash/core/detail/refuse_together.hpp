// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How a collective fails that one member cannot carry out.
#pragma once

#include <string>

#include "upwash/core/team.hpp"

namespace upwash::detail {

/// Collective over the members: all fail with the words of the one, a rank of the world, that lacks
/// memory, whoever of them is heard first. Throws `error` (system).
[[noreturn]] void refuse_together(const team& members, int lacking, const std::string& refusal);

}  // namespace upwash::detail
