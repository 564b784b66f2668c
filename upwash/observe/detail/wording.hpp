// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How the report of a hanging job names what a rank does, for the table and the conclusions.
#pragma once

#include <cstdint>
#include <string>

#include "upwash/observe/standing.hpp"

namespace upwash::observe::detail {

/// "the world", or the id of the team.
[[nodiscard]] std::string name_team(std::uint64_t team);

}  // namespace upwash::observe::detail
