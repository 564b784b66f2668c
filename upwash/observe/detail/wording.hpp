// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How the report of a hanging job names what a rank does, for the table and the conclusions.
#pragma once

#include <cstdint>
#include <string>

#include "upwash/observe/standing.hpp"

namespace upwash::observe::detail {

/// "waits in barrier", "computes without calling the library (pid 12)", ...
[[nodiscard]] std::string what_it_does(const standing& one);

/// "the world", or the id of the team.
[[nodiscard]] std::string name_team(std::uint64_t team);

}  // namespace upwash::observe::detail
