// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Teams of equal members that are made in several orders at once.
#pragma once

#include <cstdint>
#include <span>

#include "upwash/base/call_site.hpp"
#include "upwash/core/team.hpp"

namespace upwash {

/// As `of.subset(members)`, which goes by the order of calls for the same list; here calls of the
/// members meet by `name`, in whatever order they make them. No two calls for a list have one name.
[[nodiscard]] team named_subset(const team& of, std::span<const int> members, std::uint64_t name,
                                call_site site = call_site::current());

}  // namespace upwash
