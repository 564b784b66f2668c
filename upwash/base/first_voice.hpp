// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One of several processes that fail alike speaks for all.
#pragma once

#include <string_view>

namespace upwash {

/// Whether this process is the first of its machine that asks under this name, which then is its
/// own until it ends. True where the machine cannot tell. One system call; nothing stays behind.
[[nodiscard]] bool speaks_first(std::string_view name) noexcept;

}  // namespace upwash
