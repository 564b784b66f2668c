// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Splits commands in settings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace upwash {

/// Returns the words of a text, separated by spaces.
[[nodiscard]] std::vector<std::string> words_of(std::string_view text);

}  // namespace upwash
