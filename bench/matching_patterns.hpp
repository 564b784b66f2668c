// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Traffic for the matching bench: what is inserted into a store, and in which order it is then
// looked for (Ghazimirsaeed 2019, 3.2, 6.4, and the applications of chapters 3 to 6).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "upwash/matching/store.hpp"

namespace upwash::bench {

struct workload {
  std::string pattern;
  matching::side on = matching::side::posted;
  std::uint32_t sources = 1;
  double wild = 0;                           ///< share of receives from any source
  bool cycle = false;                        ///< what is found is inserted again at once
  bool cold = false;                         ///< each search with nothing in the caches
  std::vector<matching::envelope> inserted;  ///< in this order
  std::vector<matching::envelope> sought;    ///< in this order; each fits one inserted
  matching::shape shape;                     ///< with the profile of this very traffic
};

/// The orders of search with `depth` entries of `sources`: last (found and inserted again),
/// last_cold, forward, middle (outwards), reverse.
[[nodiscard]] std::span<const std::string_view> search_orders();
[[nodiscard]] workload search(std::string_view order, matching::side on, std::uint32_t depth,
                              std::uint32_t sources, double wild);

/// Traffic as applications have it: fan_in (FDS), halos (AMG), faces (miniAMR), particles
/// (LAMMPS), radix, all_gather (N-body); the latter two are collectives.
[[nodiscard]] std::span<const std::string_view> applications();
[[nodiscard]] workload application(std::string_view name, matching::side on, std::uint32_t ranks,
                                   double wild);

/// Four groups of eight sources that send 2, 10, 50 and 100 messages, reverse search; the queue
/// of each group as in row `clustering` of table 3.1 (1 to 7), 0: one queue, 8: four. To be run
/// with partition clustered_means.
[[nodiscard]] workload groups(std::uint32_t clustering);

}  // namespace upwash::bench
