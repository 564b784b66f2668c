// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Self-contained pages: data, and what draws it, in one HTML file.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace upwash::tools {

enum class page_kind : std::uint8_t {
  traces,    ///< report_data.hpp
  schedule,  ///< schedule_page.hpp
  network,   ///< network_page.hpp
};

/// The page's text. No name in the data can leave its place.
[[nodiscard]] std::string page_of(page_kind what, const nlohmann::json& data);

}  // namespace upwash::tools
