// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Curves as SVG, one panel beside the other.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace upwash::tools {

struct plot_curve {
  std::string name;
  std::vector<std::pair<double, double>> points;
};

struct plot_panel {
  std::string title;
  std::string x;
  std::string y;
  bool logarithmic = false;  ///< the y axis; values above 0 only
  std::vector<plot_curve> curves;
};

/// A whole SVG document.
[[nodiscard]] std::string plot_svg(const std::string& title, const std::vector<plot_panel>& panels);

}  // namespace upwash::tools
