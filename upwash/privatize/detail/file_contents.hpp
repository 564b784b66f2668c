// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace upwash::privatize {

/// Returns the contents of a file; empty, or the readable part, after an error, with the reason in
/// errno.
[[nodiscard]] std::vector<std::byte> contents_of(const std::string& path);

}  // namespace upwash::privatize
