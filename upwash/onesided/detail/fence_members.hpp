// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "upwash/core/team.hpp"
#include "upwash/onesided/fence.hpp"

namespace upwash::detail {

/// Runs `fence_all` for the members of a team only. O(1) if nothing is left to be fenced anywhere.
fence_count fence_members(const team& of, const fence_options& how, const call_site& site);

}  // namespace upwash::detail
