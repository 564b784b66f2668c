// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The hosts of a job: lists of them as users write them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "upwash/launch/launcher.hpp"

namespace upwash::launch {

/// "a:8,b:8", or "@FILE" with lines "a:8" or "a slots=8"; without a number a host has one slot.
/// Lines may be empty, and what follows # is none of the list. A host that is named again at once
/// has more slots. Throws `error` (argument) naming what is wrong.
[[nodiscard]] std::vector<host_share> parse_hosts(std::string_view text);

}  // namespace upwash::launch
