// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/base/printable.hpp"

#include <fmt/format.h>

#include <iterator>

namespace upwash {

std::string printable(std::string_view text, bool keep_lines) {
  constexpr unsigned char c1_lead = 0xc2;  // of U+0080 to U+009F, controls of eight-bit terminals
  std::string shown;
  unsigned char before = 0;
  for (const char one : text) {
    const auto byte = static_cast<unsigned char>(one);
    const bool line = keep_lines && (one == '\n' || one == '\t');
    const bool c1 = before == c1_lead && byte >= 0x80 && byte < 0xa0;
    if (((byte < 0x20 || byte == 0x7f) && !line) || c1) {
      fmt::format_to(std::back_inserter(shown), "\\x{:02x}", byte);
    } else {
      shown += one;
    }
    before = byte;
  }
  return shown;
}

}  // namespace upwash
