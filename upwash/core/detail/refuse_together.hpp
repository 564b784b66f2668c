// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The failure of a collective that one member cannot carry out.
#pragma once

#include <string>

#include "upwash/core/team.hpp"

namespace upwash::detail {

/// Makes all members fail with the text of one member that lacks memory: `lacking`, a world rank.
/// If several lack memory, the text of any one of them is used. Collective over the members. Throws
/// `error` (system).
[[noreturn]] void refuse_together(const team& members, int lacking, const std::string& refusal);

}  // namespace upwash::detail
