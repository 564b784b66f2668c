// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/observe/hang_reporter.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/duration.hpp"
#include "upwash/observe/hang_report.hpp"

namespace upwash::observe {

std::optional<std::string> hang_reporter::report(std::span<const standing> all, bool wanted) {
  const auto longest = std::max_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.waited_ps < b.waited_ps;
  });
  if (longest->now != doing::waits && !wanted) return std::nullopt;  // it went on
  const std::uint64_t state = state_of(all);
  if (state == reported_ && !wanted) return std::nullopt;
  reported_ = state;
  const std::string headline =
      longest->now == doing::waits
          ? fmt::format("rank {} has waited in {} for {:.1f} s; the {} ranks of the job:",
                        longest->rank, longest->operation.view(),
                        duration::from_ps(longest->waited_ps).seconds(), all.size())
          : fmt::format("no rank waits; the {} ranks of the job:", all.size());
  return hang_report(headline, all);
}

}  // namespace upwash::observe
