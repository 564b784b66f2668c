// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Texts of other processes and hosts on their way to a terminal.
#pragma once

#include <string>
#include <string_view>

namespace upwash {

/// Returns `text` with each control character, those of UTF-8's C1 block included, as \xNN. Line
/// ends and tabs stay if `keep_lines`.
[[nodiscard]] std::string printable(std::string_view text, bool keep_lines = false);

}  // namespace upwash
