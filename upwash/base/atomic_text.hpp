// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "upwash/base/words.hpp"

namespace upwash {

/// Returns "all", "none" or a list, for example "add, swap of 8 bytes".
[[nodiscard]] std::string to_string(const atomic_set& set);

}  // namespace upwash
