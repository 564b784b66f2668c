// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where files that belong to upwash stand: machines, tuning, plugins.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace upwash {

/// The user's folder for upwash (XDG_CONFIG_HOME or ~/.config, then /upwash); empty: no home.
[[nodiscard]] std::string user_folder();

/// The folders that may hold files of a kind ("machines"), first come first: the user's, beside the
/// installed library, in the source tree. They need not exist.
[[nodiscard]] std::vector<std::string> data_folders(std::string_view kind);

/// The folders that may hold plugins, first come first: beside the library that is linked, or
/// beside the program that it is part of, then where this library was built and would be installed.
[[nodiscard]] std::vector<std::string> plugin_folders();

}  // namespace upwash
