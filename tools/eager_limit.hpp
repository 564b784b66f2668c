// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What jobs on a conduit can send eagerly, for commands that price what they would do.
#pragma once

#include <cstdint>
#include <string_view>

namespace upwash::tools {

/// The largest edge of a collective that a job on the conduit can send eagerly. Throws `error`:
/// argument for an unknown one, environment for one that does not work here.
[[nodiscard]] std::uint64_t eager_limit_of(std::string_view conduit);

}  // namespace upwash::tools
