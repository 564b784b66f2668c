// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A queue for each cluster of sources, from the profile of an earlier run (Ghazimirsaeed 2019,
// chapter 3, figure 3.4). Sources that the profile lacks join the first cluster.
#pragma once

#include <utility>

#include "upwash/matching/partitions/selection.hpp"

namespace upwash::matching {

class clustered : public router_base {
 public:
  [[nodiscard]] std::uint32_t home(const envelope& e) const noexcept {
    const auto source = static_cast<std::size_t>(e.source);
    return source < cluster_.size() ? cluster_[source] : 0;
  }
  template <class F>
  void visit(const envelope& e, F&& f) {
    f(home(e));
  }
  [[nodiscard]] division describe() const {
    return {.queues = std::size_t{last_} + 1, .bytes = cluster_.capacity() * sizeof(std::uint32_t)};
  }

 protected:
  explicit clustered(std::vector<std::uint32_t> cluster) : cluster_(std::move(cluster)) {
    for (const std::uint32_t each : cluster_) last_ = each > last_ ? each : last_;
  }

 private:
  std::vector<std::uint32_t> cluster_;  ///< by source: grows with the ranks, as in the paper
  std::uint32_t last_ = 0;
};

/// Algorithm 3.1.
struct clustered_sum : clustered {
  explicit clustered_sum(const shape& s) : clustered(cluster_by_sum(s.profile)) {}
};
/// K-means with `shape::clusters`.
struct clustered_means : clustered {
  explicit clustered_means(const shape& s) : clustered(cluster_by_means(s.profile, s.clusters)) {}
};

}  // namespace upwash::matching
