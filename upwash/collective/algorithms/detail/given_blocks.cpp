// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/algorithms/detail/given_blocks.hpp"

#include <fmt/format.h>

#include "upwash/base/error.hpp"

namespace upwash::collective::detail {

void check_given_blocks(const schedule::step_writer& in, std::string_view algorithm, int ranks) {
  for (std::size_t i = 0; i < 4; ++i) {
    if (in.given(i).size() >= static_cast<std::size_t>(ranks)) continue;
    throw error(error_kind::argument,
                fmt::format("{} on {} ranks: array {} has {} words; give the lengths and offsets "
                            "to send and to receive, a word a rank each",
                            algorithm, ranks, i, in.given(i).size()));
  }
}

}  // namespace upwash::collective::detail
