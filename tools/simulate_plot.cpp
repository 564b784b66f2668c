// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/simulate_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace upwash::tools {
namespace {

constexpr double width = 380;
constexpr double height = 260;
constexpr double margin = 64;
constexpr std::array colours{"#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e",
                             "#8c564b", "#e377c2", "#17becf", "#7f7f7f", "#000000"};
/// By turns, so that a curve shows through another that lies on it.
constexpr std::array dashes{"none", "9 5", "3 4"};

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

/// Sizes as one writes them: 512, 4k, 1m; other numbers whole, or with four digits.
std::string tick_text(double value, bool is_size) {
  constexpr std::array units{"", "k", "m", "g"};
  constexpr double longest = 1e7;
  if (value != std::floor(value) || std::abs(value) >= longest) {
    return fmt::format("{:.4g}", value);
  }
  if (!is_size) return fmt::format("{:.0f}", value);
  std::size_t unit = 0;
  while (unit + 1 < units.size() && value >= 1024 && std::fmod(value, 1024) == 0) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.0f}{}", value, units[unit]);
}

/// Ten to the power, without what rounding adds.
double nearest_digits(double power) {
  const double value = std::pow(10, power);
  return std::abs(value - std::round(value)) < 1e-6 * value ? std::round(value) : value;
}

/// Logarithms of 1, 2 and 5 times powers of ten, of the powers alone where these are many, or of
/// evenly spaced values where there are too few.
std::vector<double> logarithmic_ticks(double low, double high) {
  constexpr double many_decades = 4;
  std::vector<double> found;
  for (double power = std::floor(low); power <= high; ++power) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor > 1 && high - low > many_decades) continue;
      const double tick = power + std::log10(factor);
      if (tick >= low && tick <= high) found.push_back(tick);
    }
  }
  if (found.size() >= 2) return found;
  found.clear();
  const double first = std::pow(10, low);
  const double step = step_for(std::pow(10, high) - first);
  for (double value = std::ceil(first / step) * step; value <= std::pow(10, high); value += step) {
    found.push_back(std::log10(value));
  }
  return found;
}

std::vector<double> even_ticks(double low, double high) {
  const double step = step_for(high - low);
  std::vector<double> found;
  for (double y = std::ceil(low / step) * step; y <= high + step * 1e-4; y += step) {
    found.push_back(y);
  }
  return found;
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
    for (std::size_t dash = 0; dash < dashes.size(); ++dash) {  // whole lines below broken ones
      for (std::size_t i = dash; i < what_.curves.size(); i += dashes.size()) curve(i);
    }
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
      text_ += fmt::format(R"svg(<text x="{:.1f}" y="{}" text-anchor="middle">{}</text>)svg"
                           "\n",
                           at_x(x), top_ + height + 16,
                           tick_text(what_.powers_of_two ? std::exp2(x) : x, what_.powers_of_two));
    }
    for (const double y :
         what_.logarithmic ? logarithmic_ticks(low_y_, high_y_) : even_ticks(low_y_, high_y_)) {
      text_ += fmt::format(R"svg(<line x1="{}" y1="{:.1f}" x2="{}" y2="{:.1f}" stroke="#ddd"/>)svg"
                           R"svg(<text x="{}" y="{:.1f}" text-anchor="end">{}</text>)svg"
                           "\n",
                           left_, at_y(y), left_ + width, at_y(y), left_ - 6, at_y(y) + 4,
                           tick_text(what_.logarithmic ? nearest_digits(y) : y, false));
    }
  }

  void curve(std::size_t index) {
    const char* const colour = colours[index % colours.size()];
    const char* const dash = dashes[index % dashes.size()];
    std::string path;
    for (const auto& [x, y] : what_.curves[index].points) {
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", at_x(scaled_x(x)),
                          at_y(scaled(y)));
    }
    const double key = top_ + height + 54 + 16 * static_cast<double>(index);
    text_ += fmt::format(
        R"svg(<path d="{}" fill="none" stroke="{}" stroke-width="2" stroke-dasharray="{}"/>)svg"
        R"svg(<line x1="{}" y1="{:.1f}" x2="{}" y2="{:.1f}" stroke="{}" stroke-width="2" )svg"
        R"svg(stroke-dasharray="{}"/>)svg"
        R"svg(<text x="{}" y="{:.1f}">{}</text>)svg"
        "\n",
        path, colour, dash, left_, key - 4, left_ + 40, key - 4, colour, dash, left_ + 46, key,
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

namespace {

constexpr int side = 9;  ///< of a square

/// A square in the colour of `value`, from white over orange to dark red, with `tells` inside.
std::string heat_square(double x, double y, double value, const std::string& tells) {
  const double shown = std::clamp(value, 0.0, 1.0);
  const int red = static_cast<int>(255 - 100 * std::max(0.0, shown - 0.5) * 2);
  const int green = static_cast<int>(255 * (1 - shown));
  const int blue = static_cast<int>(255 * std::max(0.0, 1 - 2 * shown));
  return fmt::format(
      R"svg(<rect x="{}" y="{}" width="{}" height="{}" stroke="#ccc" stroke-width="0.5" )svg"
      R"svg(fill="#{:02x}{:02x}{:02x}">{}</rect>)svg"
      "\n",
      x, y, side - 1, side - 1, red, green, blue, tells);
}

/// What the colours mean, and the numbers of the columns.
std::string heat_keys(double left, std::size_t columns) {
  constexpr int shades = 11;
  constexpr std::size_t columns_a_number = 8;
  std::string text;
  for (int i = 0; i < shades; ++i) {
    const double value = i / (shades - 1.0);
    text += heat_square(left + i * side, 34, value, {});
  }
  text += fmt::format(R"svg(<text x="{}" y="41" text-anchor="end">0 (unused)</text>)svg"
                      R"svg(<text x="{}" y="41">1 (all the time)</text>)svg"
                      "\n",
                      left - 4, left + shades * side + 4);
  for (std::size_t i = 0; i < columns; i += columns_a_number) {
    text += fmt::format(R"svg(<text x="{}" y="{}">{}</text>)svg"
                        "\n",
                        left + static_cast<double>(i * side), margin - 4, i);
  }
  return text;
}

}  // namespace

std::string heat_svg(const std::string& title, const std::vector<heat_row>& rows) {
  constexpr std::size_t most_columns = 64;
  constexpr double left = margin * 1.5;
  std::size_t columns = 0;
  for (const heat_row& row : rows) {
    columns = std::max(columns, std::min(row.values.size(), most_columns));
  }
  std::string text = heat_keys(left, columns);
  std::size_t lines = 0;
  for (const heat_row& row : rows) {
    const double top = margin + static_cast<double>(lines * side);
    text += fmt::format(R"svg(<text x="4" y="{}">{}</text>)svg"
                        "\n",
                        top + side - 1, escaped(row.name));
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      const std::size_t column = i % most_columns;
      const std::size_t line = i / most_columns;
      text += heat_square(
          left + static_cast<double>(column * side), top + static_cast<double>(line * side),
          row.values[i],
          fmt::format("<title>{} port {}: {:.3f}</title>", escaped(row.name), i, row.values[i]));
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
