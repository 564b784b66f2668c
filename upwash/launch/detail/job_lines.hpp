// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Lines about a whole job, wherever its processes are.
#pragma once

#include <string>

#include "upwash/base/duration.hpp"

namespace upwash::launch::detail {

[[nodiscard]] std::string timeout_line(duration timeout);

/// Programs that are none of upwash run as well, each for itself; whoever did not mean it is told.
[[nodiscard]] std::string strangers_line(int processes, const std::string& program);

}  // namespace upwash::launch::detail
