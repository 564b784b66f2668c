// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/schedule/detail/validate/describe.hpp"

#include <fmt/format.h>

namespace upwash::schedule::detail {

std::string describe(int rank, std::size_t number, const step& s) {
  return fmt::format("rank {}, {}", rank, name_step(number, s));
}

}  // namespace upwash::schedule::detail
