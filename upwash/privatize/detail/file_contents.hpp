// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace upwash::privatize {

/// All of a file; empty, or what could be read, where it is none. errno says why.
[[nodiscard]] std::vector<std::byte> contents_of(const std::string& path);

}  // namespace upwash::privatize
