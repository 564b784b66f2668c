// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Finds programs by name, as a shell does.
#pragma once

#include <string>
#include <string_view>

namespace upwash {

/// Returns the first executable file with that name along PATH. A name with '/' is the file itself,
/// without a check. Empty if there is none.
[[nodiscard]] std::string find_program(std::string_view name);

}  // namespace upwash
