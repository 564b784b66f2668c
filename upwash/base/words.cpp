// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/base/words.hpp"

#include <array>

#include "upwash/base/atomic_text.hpp"

namespace upwash {

std::string_view to_string(atomic_kind kind) noexcept {
  constexpr std::array<std::string_view, atomic_kind_count> names{
      "load",         "store",
      "add",          "fetch_add",
      "swap",         "compare_swap",
      "bit_and",      "fetch_and",
      "bit_or",       "fetch_or",
      "bit_xor",      "fetch_xor",
      "min_signed",   "fetch_min_signed",
      "max_signed",   "fetch_max_signed",
      "min_unsigned", "fetch_min_unsigned",
      "max_unsigned", "fetch_max_unsigned"};
  return names[static_cast<std::size_t>(kind)];
}

std::string to_string(const atomic_set& set) {
  if (set == atomic_set::all()) return "all";
  if (set.empty()) return "none";
  std::string text;
  for (std::size_t i = 0; i < atomic_kind_count; ++i) {
    const auto kind = static_cast<atomic_kind>(i);
    const bool narrow = set.contains(kind, 4);
    const bool wide = set.contains(kind, 8);
    if (!narrow && !wide) continue;
    if (!text.empty()) text += ", ";
    text += to_string(kind);
    if (!narrow || !wide) text += narrow ? " of 4 bytes" : " of 8 bytes";
  }
  return text;
}

}  // namespace upwash
