// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Commands that a setting holds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace upwash {

/// The words of a text, which spaces stand between.
[[nodiscard]] std::vector<std::string> words_of(std::string_view text);

}  // namespace upwash
