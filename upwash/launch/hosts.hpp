// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The hosts of a job: lists as users write them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "upwash/launch/launcher.hpp"

namespace upwash::launch {

/// Parses "a:8,b:8", or "@FILE" with lines "a:8" or "a slots=8". Without a number a host has one
/// slot. Lines may be empty, and text after # is ignored. A host that is named again directly
/// afterwards gets more slots. Throws `error` (argument) naming the defect.
[[nodiscard]] std::vector<host_share> parse_hosts(std::string_view text);

}  // namespace upwash::launch
