// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The config file of knobs: one JSON object of names and scalar values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace upwash::detail {

/// One entry; numbers and booleans as the text that a variable would have.
struct knob_file_entry {
  std::string name;
  std::string text;
  int line = 0;
};

/// Throws `error` (configuration) as "<path>:<line>: ..." for anything but scalar values under
/// distinct names.
[[nodiscard]] std::vector<knob_file_entry> parse_knob_file(std::string_view content,
                                                           std::string_view path);

}  // namespace upwash::detail
