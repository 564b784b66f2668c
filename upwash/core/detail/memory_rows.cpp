// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/core/detail/memory_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"

namespace upwash::detail {

void memory_rows::add(const memory_row& row, int rank) {
  const auto at = std::ranges::lower_bound(rows_, row.number, {}, &memory_row::number);
  if (at != rows_.end() && at->number == row.number) {
    if (at->name == row.name && at->run == row.run && at->state == row.state) return;
    throw error(error_kind::argument,
                fmt::format("rank {}: memory handlers {} and {} have the same number {:#x}; give "
                            "each a name of its own, and register it once",
                            rank, at->name, row.name, row.number));
  }
  rows_.insert(at, row);
  if (row.number < first_of_layers) ++own_;
}

const memory_row* memory_rows::find_of_layer(std::uint32_t number) const noexcept {
  const auto at = std::ranges::lower_bound(rows_, number, {}, &memory_row::number);
  return at != rows_.end() && at->number == number ? &*at : nullptr;
}

}  // namespace upwash::detail
