// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Lines about a whole job, for processes anywhere.
#pragma once

#include <string>

#include "upwash/base/duration.hpp"

namespace upwash::launch::detail {

[[nodiscard]] std::string timeout_line(duration timeout);

/// Returns the line for programs that do not use upwash. They run as well, each on its own; the
/// line informs a user if this was not intended.
[[nodiscard]] std::string strangers_line(int processes, const std::string& program);

}  // namespace upwash::launch::detail
