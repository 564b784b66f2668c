// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the caller of an all-to-all of different lengths gives, a word a rank each, in bytes: the
// lengths of the blocks for each rank (given 0) and their offsets in the input (1), the lengths of
// those from each rank (2) and their offsets in the output (3).
#pragma once

#include <cstddef>
#include <string_view>

#include "upwash/schedule/step_writer.hpp"

namespace upwash::collective::detail {

[[nodiscard]] inline schedule::piece block_for(const schedule::step_writer& in, int rank) {
  const auto r = static_cast<std::size_t>(rank);
  return {schedule::buffer::input, in.given(1)[r], in.given(0)[r]};
}
[[nodiscard]] inline schedule::piece block_from(const schedule::step_writer& in, int rank) {
  const auto r = static_cast<std::size_t>(rank);
  return {schedule::buffer::output, in.given(3)[r], in.given(2)[r]};
}

/// Throws `error` (argument), which names the algorithm, where an array is missing or too short.
void check_given_blocks(const schedule::step_writer& in, std::string_view algorithm, int ranks);

}  // namespace upwash::collective::detail
