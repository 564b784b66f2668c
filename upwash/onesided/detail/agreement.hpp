// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The checks of the layer's calls before any effect, and their errors.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "upwash/core/team.hpp"

namespace upwash::detail {

/// Throws `error` (argument) with a text that begins with this rank.
[[noreturn]] void refuse(const team& members, const std::string& what);

/// Returns whether all members gave the same values in the same order; the same answer at all
/// members. Collective over `members`, blocking. One reduction of twice as many words.
[[nodiscard]] bool same_at_all(const team& members, std::span<const std::uint64_t> values);

}  // namespace upwash::detail
