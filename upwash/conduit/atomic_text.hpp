// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "upwash/conduit/memory.hpp"

namespace upwash::conduit {

/// "all", "none" or a list, as "add, swap of 8 bytes".
[[nodiscard]] std::string to_string(const atomic_set& set);

}  // namespace upwash::conduit
