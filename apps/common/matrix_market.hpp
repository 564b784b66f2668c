// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A strict reader of Matrix Market files (coordinate format; docs/decisions/0003).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sparse {

struct entry {
  int row = 0;
  int column = 0;
  double value = 0;
};

/// Entries sorted by row, then column; 0-based, without duplicates, symmetry expanded.
struct coordinate_matrix {
  int rows = 0;
  int columns = 0;
  std::vector<entry> entries;
};

/// Reads real, integer and pattern matrices (pattern: values are 1), general, symmetric and
/// skew-symmetric. Throws `upwash::error` (configuration) as "<path>:<line>: what is wrong, what
/// was expected" for everything that the format does not allow, duplicates included.
[[nodiscard]] coordinate_matrix read_matrix_market(const std::string& path);

/// The same for text in memory; `path` is for messages.
[[nodiscard]] coordinate_matrix parse_matrix_market(std::string_view text, std::string_view path);

}  // namespace sparse
