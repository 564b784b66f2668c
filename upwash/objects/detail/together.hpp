// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What fails at one member fails at all.
#pragma once

#include <optional>
#include <string>

#include "upwash/base/error.hpp"
#include "upwash/base/function_ref.hpp"
#include "upwash/core/team.hpp"

namespace upwash::objects {

/// Runs `act`; returns what the first member threw for which it failed, at all members the same,
/// behind `label` and that member's number. Collective, blocking.
[[nodiscard]] std::optional<error> together(const team& among, const std::string& label,
                                            function_ref<void()> act);

}  // namespace upwash::objects
