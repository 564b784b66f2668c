// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/eager_limit.hpp"

#include <fmt/format.h>

#include "upwash/base/error.hpp"
#include "upwash/core/reach.hpp"
#include "upwash/runtime/describe.hpp"

namespace upwash::tools {

std::uint64_t eager_limit_of(std::string_view conduit) {
  for (const conduit_description& each : describe_conduits()) {
    if (each.name != conduit) continue;
    if (each.unavailable.empty()) return reach::anywhere(each.can).medium_bytes();
    throw error(error_kind::environment, each.unavailable);
  }
  throw error(error_kind::argument, fmt::format("unknown conduit {}", conduit));
}

}  // namespace upwash::tools
