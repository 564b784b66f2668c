// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/launch/detail/hang_gatherer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "upwash/observe/hang_report.hpp"

namespace upwash::launch::detail {

std::optional<std::string> hang_reporter::report(std::span<const observe::standing> all,
                                                 bool wanted) {
  const auto longest = std::max_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.waited_ps < b.waited_ps;
  });
  if (longest->now != observe::doing::waits && !wanted) return std::nullopt;  // it went on
  const std::uint64_t state = observe::state_of(all);
  if (state == reported_ && !wanted) return std::nullopt;
  reported_ = state;
  const std::string headline =
      longest->now == observe::doing::waits
          ? fmt::format("rank {} has waited in {} for {:.1f} s; the {} ranks of the job:",
                        longest->rank, longest->operation.view(),
                        duration::from_ps(longest->waited_ps).seconds(), all.size())
          : fmt::format("no rank waits; the {} ranks of the job:", all.size());
  return observe::hang_report(headline, all);
}

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
