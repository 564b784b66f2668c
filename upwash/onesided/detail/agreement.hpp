// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the calls of the layer check before they do anything, and how they refuse.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "upwash/core/team.hpp"

namespace upwash::detail {

/// Throws `error` (argument); its text begins with this rank.
[[noreturn]] void refuse(const team& members, const std::string& what);

/// Collective over `members`, blocking: whether all of them gave the same values, in the same
/// order; the same answer at all. One reduction of twice as many words.
[[nodiscard]] bool same_at_all(const team& members, std::span<const std::uint64_t> values);

}  // namespace upwash::detail
