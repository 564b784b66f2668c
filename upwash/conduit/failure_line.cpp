// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/failure_line.hpp"

#include <fmt/format.h>

namespace upwash::conduit {

std::string failure_line(int rank, std::string_view why) {
  if (rank < 0) return std::string(why);
  const auto who = fmt::format("rank {}: ", rank);
  return fmt::format("{}{}; job ended", why.starts_with(who) ? "" : who, why);
}

}  // namespace upwash::conduit
