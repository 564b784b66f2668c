// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The conduits that cmake/conduits.txt names. The definitions are generated from that file when the
// project is configured.
#pragma once

#include <span>
#include <string_view>

#include "upwash/conduit/conduit_row.hpp"

namespace upwash::runtime_detail {

struct listed_conduit {
  std::string_view name;
  conduit::conduit_row (*row)();
  conduit::conduit_row (*inside)();  ///< for A+B: A's row, and `row` is B's; else null
};

/// Returns the conduits in the order of the file; never empty.
[[nodiscard]] std::span<const listed_conduit> listed_conduits() noexcept;
/// Returns their names, separated by |.
[[nodiscard]] std::string_view listed_choices() noexcept;

}  // namespace upwash::runtime_detail
