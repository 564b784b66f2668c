// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/conduit/rank_layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "upwash/base/error.hpp"

namespace upwash::conduit {

rank_layout rank_layout::even(int ranks, int processes) {
  if (processes < 1 || processes > ranks) {
    throw error(error_kind::argument,
                fmt::format("cannot put {} rank{} into {} processes: expected 1 to {}", ranks,
                            ranks == 1 ? "" : "s", processes, ranks));
  }
  std::vector<int> counts(static_cast<std::size_t>(processes), ranks / processes);
  std::for_each_n(counts.begin(), ranks % processes, [](int& one) { ++one; });
  return rank_layout(counts);
}

rank_layout rank_layout::at_most(int most, int ranks) {
  if (most < 1 || ranks < 1) {
    throw error(error_kind::argument,
                fmt::format("cannot put {} ranks into processes of {}: expected 1 and up for both",
                            ranks, most));
  }
  return even(ranks, ranks / most + (ranks % most != 0 ? 1 : 0));
}

rank_layout::rank_layout(std::span<const int> counts)
    : processes_(static_cast<int>(counts.size())) {
  for (std::size_t p = 0; p < counts.size(); ++p) {
    if (counts[p] < 1) {
      throw error(error_kind::argument,
                  fmt::format("process {} hosts {} ranks: expected 1 and up", p, counts[p]));
    }
    first_.push_back(ranks_);
    ranks_ += counts[p];
    process_.insert(process_.end(), static_cast<std::size_t>(counts[p]),
                    static_cast<std::uint32_t>(p));
  }
  first_.push_back(ranks_);
  if (!one_each()) return;
  first_ = {};
  process_ = {};
}

}  // namespace upwash::conduit
