// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/launch/detail/hang_gatherer.hpp"

#include <utility>

namespace upwash::launch::detail {

std::optional<std::string> hang_gatherer::look(duration now) {
  if (standings_.asking()) {
    const auto all = standings_.look(now);
    return all ? reporter_.report(*all, std::exchange(wanted_, false)) : std::nullopt;
  }
  const std::uint32_t hangs = block_.header().hangs.load(std::memory_order_relaxed);
  if (hangs == hangs_ && !wanted_) return std::nullopt;
  hangs_ = hangs;
  standings_.ask(block_.header().question.load() + 1, now);
  return std::nullopt;
}

}  // namespace upwash::launch::detail
