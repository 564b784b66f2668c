// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Programs by name, as a shell finds them.
#pragma once

#include <string>
#include <string_view>

namespace upwash {

/// The first file along PATH of that name that may be executed; a name with '/' is the file itself,
/// whatever it is. Empty: there is none.
[[nodiscard]] std::string find_program(std::string_view name);

}  // namespace upwash
