// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Teams of the same members that are made in several orders at once.
#pragma once

#include <cstdint>
#include <span>

#include "upwash/base/call_site.hpp"
#include "upwash/core/team.hpp"

namespace upwash {

/// Makes a team of `members`, as `of.subset(members)` does. `subset` matches calls for the same
/// list by their order. Here the calls of the members match by `name`, in any order. Two calls for
/// one list must not have the same name.
[[nodiscard]] team named_subset(const team& of, std::span<const int> members, std::uint64_t name,
                                call_site site = call_site::current());

}  // namespace upwash
