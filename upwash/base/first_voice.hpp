// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Lets one of several processes that fail alike report for all.
#pragma once

#include <string_view>

namespace upwash {

/// Returns whether this process is the first of its machine that asks under this name. The process
/// then owns the name until it ends. True if the machine cannot tell. One system call; nothing
/// remains afterwards.
[[nodiscard]] bool speaks_first(std::string_view name) noexcept;

}  // namespace upwash
