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
  bool powers_of_two = false;  ///< the x axis; values above 0 only
};

/// A whole SVG document.
[[nodiscard]] std::string plot_svg(const std::string& title, const std::vector<plot_panel>& panels);

/// Values of 0 to 1 as colours, one square each; the name of a row stands at its left.
struct heat_row {
  std::string name;
  std::vector<double> values;
};

/// A whole SVG document. Long rows are folded.
[[nodiscard]] std::string heat_svg(const std::string& title, const std::vector<heat_row>& rows);

}  // namespace upwash::tools
