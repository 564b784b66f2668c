// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The folders for upwash's files: machines, tuning.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace upwash {

/// Returns the user's folder for upwash (XDG_CONFIG_HOME or ~/.config, then /upwash). Empty without
/// a home.
[[nodiscard]] std::string user_folder();

/// Returns the folders that may hold files of a kind ("machines"), in order of precedence: the
/// user's, next to the installed library, in the source tree. They need not exist.
[[nodiscard]] std::vector<std::string> data_folders(std::string_view kind);

}  // namespace upwash
