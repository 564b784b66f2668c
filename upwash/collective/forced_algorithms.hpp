// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The text of the knob `algorithms`: COLLECTIVE=NAME[:key=value,...][;...].
#pragma once

#include <string_view>

#include "upwash/base/function_ref.hpp"
#include "upwash/collective/registry.hpp"

namespace upwash::collective {

/// Calls `use` with the name of the collective and the algorithm of each entry of `text`. Throws
/// `error` (configuration) for an entry without '='.
void for_each_forced(std::string_view text,
                     function_ref<void(std::string_view, std::string_view)> use);

/// Throws `error` (configuration or argument) for a malformed entry, an unknown collective or an
/// unknown algorithm, with the nearest known name.
void check_forced(const registry& algorithms, std::string_view text);

}  // namespace upwash::collective
