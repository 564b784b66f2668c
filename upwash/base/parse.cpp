// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>

#include "upwash/base/error.hpp"
#include "upwash/base/knobs.hpp"

namespace upwash {
namespace {

[[noreturn]] void refuse(std::string_view what, std::string_view text, std::string_view expected) {
  throw error(error_kind::configuration, fmt::format("{}: \"{}\" is not {}", what, text, expected));
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, changed});
    }
  }
  return row.back();
}

}  // namespace

std::uint64_t parse_bytes(std::string_view text, std::string_view what) {
  constexpr std::string_view expected = "a size; expected digits and k, m, g or nothing, as in 64k";
  std::uint64_t number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc() || end == text.data()) refuse(what, text, expected);
  std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (suffix.ends_with('b') || suffix.ends_with('B')) suffix.remove_suffix(1);
  unsigned shift = 0;
  if (suffix == "k" || suffix == "K") {
    shift = 10;
  } else if (suffix == "m" || suffix == "M") {
    shift = 20;
  } else if (suffix == "g" || suffix == "G") {
    shift = 30;
  } else if (!suffix.empty()) {
    refuse(what, text, expected);
  }
  if (number > (UINT64_MAX >> shift)) refuse(what, text, "a size below 2^64 bytes");
  return number << shift;
}

std::vector<int> parse_numbers(std::string_view text, int limit, std::string_view what) {
  const std::string expected =
      fmt::format("a list of numbers below {}; expected as 1 or 2-3,6", limit);
  std::vector<int> all;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto number = [&] {
    int value = -1;
    const auto [behind, status] = std::from_chars(at, end, value);
    if (status != std::errc() || value < 0 || value >= limit) refuse(what, text, expected);
    at = behind;
    return value;
  };
  while (at != end) {
    const int first = number();
    int last = first;
    if (at != end && *at == '-') {
      ++at;
      last = number();
    }
    if (last < first || (at != end && (*at != ',' || at + 1 == end))) refuse(what, text, expected);
    if (at != end) ++at;
    for (int each = first; each <= last; ++each) all.push_back(each);
  }
  return all;
}

duration parse_duration(std::string_view text, std::string_view what) {
  constexpr std::string_view expected = "a time; expected a number and ns, us, ms or s, as in 50us";
  double number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc() || !std::isfinite(number) || number < 0) refuse(what, text, expected);
  const std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  constexpr std::array<std::pair<std::string_view, double>, 4> units{
      {{"ns", 1.0}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
  if (suffix.empty() && number == 0.0) return {};
  const auto* unit = std::find_if(units.begin(), units.end(),
                                  [&](const auto& each) { return each.first == suffix; });
  if (unit == units.end()) refuse(what, text, expected);
  const double ns = number * unit->second;
  if (ns > duration::max().ns() * 0.999) refuse(what, text, "a time below 106 days");
  return duration::from_ns(ns);
}

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> candidates) {
  const std::size_t near = std::max<std::size_t>(2, name.size() / 4);
  std::string_view best;
  std::size_t best_distance = near + 1;
  for (const auto candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

}  // namespace upwash
