// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The files of tools/report, as they are built in (cmake/embed.cmake).
#pragma once

#include <string_view>

namespace upwash::tools {

/// The text of a file by its path below tools/report; it is there, or the build is wrong.
[[nodiscard]] std::string_view report_file(std::string_view path);

}  // namespace upwash::tools
