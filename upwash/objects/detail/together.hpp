// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Lets a failure at one member fail at all members.
#pragma once

#include <optional>
#include <string>

#include "upwash/base/error.hpp"
#include "upwash/base/function_ref.hpp"
#include "upwash/core/team.hpp"

namespace upwash::objects {

/// Runs `act`. Returns the error of the first failing member, after `label` and that member's
/// number, the same at all members. Collective, blocking.
[[nodiscard]] std::optional<error> together(const team& among, const std::string& label,
                                            function_ref<void()> act);

}  // namespace upwash::objects
