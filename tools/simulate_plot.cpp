// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/simulate_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace upwash::tools {
namespace {

constexpr double width = 380;
constexpr double height = 260;
constexpr double margin = 64;
constexpr std::array colours{"#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b"};

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '<') {
      result += "&lt;";
    } else if (c == '&') {
      result += "&amp;";
    } else {
      result += c;
    }
  }
  return result;
}

/// A step of 1, 2 or 5 times a power of ten that makes about five of `span`.
double step_for(double span) {
  const double raw = span / 5;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw) return factor * power;
  }
  return 10 * power;
}

class panel_writer {
 public:
  panel_writer(const plot_panel& what, double left, double top)
      : what_(what), left_(left), top_(top) {
    bool first = true;
    for (const plot_curve& curve : what.curves) {
      for (const auto& [of, y] : curve.points) {
        const double x = scaled_x(of);
        const double value = scaled(y);
        low_x_ = first ? x : std::min(low_x_, x);
        high_x_ = first ? x : std::max(high_x_, x);
        low_y_ = first ? value : std::min(low_y_, value);
        high_y_ = first ? value : std::max(high_y_, value);
        first = false;
      }
    }
    if (!what.logarithmic) low_y_ = std::min(low_y_, 0.0);
    if (!(high_x_ > low_x_)) high_x_ = low_x_ + 1;
    if (!(high_y_ > low_y_)) high_y_ = low_y_ + 1;
  }

  std::string text() {
    axes();
    for (std::size_t i = 0; i < what_.curves.size(); ++i) curve(i);
    return text_;
  }

 private:
  [[nodiscard]] double scaled(double y) const {
    return what_.logarithmic ? std::log10(std::max(y, 1e-12)) : y;
  }
  [[nodiscard]] double scaled_x(double x) const {
    return what_.powers_of_two ? std::log2(std::max(x, 1e-12)) : x;
  }
  [[nodiscard]] double at_x(double x) const {
    return left_ + (x - low_x_) / (high_x_ - low_x_) * width;
  }
  [[nodiscard]] double at_y(double value) const {
    return top_ + height - (value - low_y_) / (high_y_ - low_y_) * height;
  }

  void axes() {
    text_ += fmt::format(
        R"svg(<rect x="{}" y="{}" width="{}" height="{}" fill="none" stroke="#444"/>)svg"
        R"svg(<text x="{}" y="{}">{}</text><text x="{}" y="{}">{}</text>)svg"
        "\n",
        left_, top_, width, height, left_, top_ - 10, escaped(what_.title + ": " + what_.y),
        left_ + width / 2, top_ + height + 36, escaped(what_.x));
    const double fair_x = step_for(high_x_ - low_x_);
    const double step_x = what_.powers_of_two ? std::max(1.0, std::round(fair_x)) : fair_x;
    for (double x = std::ceil(low_x_ / step_x) * step_x; x <= high_x_ * 1.0001; x += step_x) {
      text_ += fmt::format(R"svg(<text x="{:.1f}" y="{}" text-anchor="middle">{:.4g}</text>)svg"
                           "\n",
                           at_x(x), top_ + height + 16, what_.powers_of_two ? std::exp2(x) : x);
    }
    const double step_y = what_.logarithmic ? 1 : step_for(high_y_ - low_y_);
    for (double y = std::ceil(low_y_ / step_y) * step_y; y <= high_y_ + step_y * 1e-4;
         y += step_y) {
      text_ += fmt::format(R"svg(<line x1="{}" y1="{:.1f}" x2="{}" y2="{:.1f}" stroke="#ddd"/>)svg"
                           R"svg(<text x="{}" y="{:.1f}" text-anchor="end">{:.4g}</text>)svg"
                           "\n",
                           left_, at_y(y), left_ + width, at_y(y), left_ - 6, at_y(y) + 4,
                           what_.logarithmic ? std::pow(10, y) : y);
    }
  }

  void curve(std::size_t index) {
    const char* const colour = colours[index % colours.size()];
    std::string path;
    for (const auto& [x, y] : what_.curves[index].points) {
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", at_x(scaled_x(x)),
                          at_y(scaled(y)));
    }
    const double key = top_ + height + 54 + 16 * static_cast<double>(index);
    text_ += fmt::format(
        R"svg(<path d="{}" fill="none" stroke="{}" stroke-width="2"/>)svg"
        R"svg(<line x1="{}" y1="{:.1f}" x2="{}" y2="{:.1f}" stroke="{}" stroke-width="2"/>)svg"
        R"svg(<text x="{}" y="{:.1f}">{}</text>)svg"
        "\n",
        path, colour, left_, key - 4, left_ + 20, key - 4, colour, left_ + 26, key,
        escaped(what_.curves[index].name));
  }

  const plot_panel& what_;
  double left_;
  double top_;
  double low_x_ = 0;
  double high_x_ = 0;
  double low_y_ = 0;
  double high_y_ = 0;
  std::string text_;
};

}  // namespace

std::string plot_svg(const std::string& title, const std::vector<plot_panel>& panels) {
  std::size_t most = 0;
  for (const plot_panel& each : panels) most = std::max(most, each.curves.size());
  std::string text = fmt::format(
      R"svg(<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{}" )svg"
      R"svg(font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="#fff"/>)svg"
      R"svg(<text x="{}" y="24" font-size="15">{}</text>)svg"
      "\n",
      static_cast<double>(panels.size()) * (width + 1.5 * margin) + margin / 2,
      height + 2 * margin + 50 + 16 * static_cast<double>(most), margin, escaped(title));
  double left = margin;
  for (const plot_panel& each : panels) {
    text += panel_writer(each, left, margin).text();
    left += width + 1.5 * margin;
  }
  return text + "</svg>\n";
}

std::string heat_svg(const std::string& title, const std::vector<heat_row>& rows) {
  constexpr std::size_t most_columns = 64;
  constexpr int side = 9;
  std::string text;
  std::size_t lines = 0;
  for (const heat_row& row : rows) {
    const double top = margin + static_cast<double>(lines * side);
    text += fmt::format(R"svg(<text x="4" y="{}">{}</text>)svg"
                        "\n",
                        top + side - 1, escaped(row.name));
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      const double value = std::clamp(row.values[i], 0.0, 1.0);
      const std::size_t column = i % most_columns;
      const std::size_t line = i / most_columns;
      // From white over orange to dark red.
      const int red = static_cast<int>(255 - 100 * std::max(0.0, value - 0.5) * 2);
      const int green = static_cast<int>(255 * (1 - value));
      const int blue = static_cast<int>(255 * std::max(0.0, 1 - 2 * value));
      text += fmt::format(
          R"svg(<rect x="{}" y="{}" width="{}" height="{}" fill="#{:02x}{:02x}{:02x}">)svg"
          R"svg(<title>{} port {}: {:.3f}</title></rect>)svg"
          "\n",
          margin * 1.5 + static_cast<double>(column * side), top + static_cast<double>(line * side),
          side - 1, side - 1, red, green, blue, escaped(row.name), i, row.values[i]);
    }
    lines += std::max<std::size_t>(1, (row.values.size() + most_columns - 1) / most_columns);
  }
  return fmt::format(
      R"svg(<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{}" )svg"
      R"svg(font-family="sans-serif" font-size="8"><rect width="100%" )svg"
      R"svg(height="100%" fill="#fff"/><text x="8" y="24" font-size="15">{}</text>)svg"
      "\n{}</svg>\n",
      margin * 2 + static_cast<double>(most_columns * side),
      margin * 1.5 + static_cast<double>(lines * side), escaped(title), text);
}

}  // namespace upwash::tools
