// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/collective/detail/run/agreement.hpp"

#include <fmt/format.h>

#include "upwash/collective/executor.hpp"

namespace upwash::collective::detail {

bool agreement::matches(const agreement& other) const noexcept {
  return operation == other.operation && algorithm == other.algorithm && bytes == other.bytes &&
         root == other.root && kind_of_reduction == other.kind_of_reduction &&
         entry_and_exit == other.entry_and_exit && waits == other.waits;
}

std::string agreement::text() const {
  std::string line =
      fmt::format("member {} (rank {}) calls {}", member, world_rank, operation.data());
  if (algorithm[0] != '\0') line += fmt::format(" by {}", algorithm.data());
  line += fmt::format(" of {} bytes, root {}", bytes, root);
  if (kind_of_reduction != 0) line += fmt::format(", reduction {:#x}", kind_of_reduction);
  line += fmt::format(", sync {}", entry_and_exit);
  using waiting = signature::manner_of_waiting;
  if (waits != static_cast<std::uint32_t>(waiting::any)) {
    line += waits == static_cast<std::uint32_t>(waiting::blocking) ? ", blocking" : ", nonblocking";
  }
  if (site[0] != '\0') line += fmt::format(", at {}", site.data());
  return line;
}

}  // namespace upwash::collective::detail
