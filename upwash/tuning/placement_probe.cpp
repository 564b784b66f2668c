// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
#include "upwash/tuning/placement_probe.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <exception>
#include <map>
#include <span>
#include <vector>

#include "upwash/base/relax.hpp"
#include "upwash/conduit/patience.hpp"
#include "upwash/core/control.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/memory_access.hpp"

namespace upwash::tuning {
namespace {

constexpr double near_limit_ns = 120;
constexpr double far_limit_ns = 500;
constexpr std::size_t line_bytes = 64;
constexpr std::uint32_t yield_each = 4096;  ///< rare enough not to be seen in a measurement

/// Whether ranks 0 and 1 do not load and store each other's segments.
bool are_apart(const conduit::endpoint& at) {
  if (at.world_size() < 2) return false;
  return !at.describe().of(conduit::nearness_of(at.place(0), at.place(1))).direct_access;
}

/// Whether the ranks of a node are more than the processors on which they may run. Collective.
bool share_processors(job& here) {
  const conduit::endpoint& at = host(here).endpoint();
  if (at.describe().virtual_time) return false;
  std::vector<conduit::processor_set> of_all(static_cast<std::size_t>(here.size()));
  control::all_gather_values(here.world(), conduit::own_processors(), std::span(of_all));
  struct node {
    int ranks = 0;
    conduit::processor_set processors{};
  };
  std::map<int, node> nodes;
  for (int rank = 0; rank < here.size(); ++rank) {
    node& its = nodes[at.place(rank).node];
    ++its.ranks;
    const conduit::processor_set& theirs = of_all[static_cast<std::size_t>(rank)];
    for (std::size_t i = 0; i < theirs.size(); ++i) its.processors[i] |= theirs[i];
  }
  return std::ranges::any_of(nodes, [](const auto& each) {
    int processors = 0;
    for (const std::uint64_t word : each.second.processors) processors += std::popcount(word);
    return each.second.ranks > processors;
  });
}

}  // namespace

placement_probe::placement_probe(job& here)
    : here_(here),
      simulated_(host(here).endpoint().describe().virtual_time),
      share_processes_(host(here).endpoint().place(here.size() - 1).process + 1 < here.size()),
      oversubscribed_(share_processors(here)),
      apart_(are_apart(host(here).endpoint())),
      lines_(allocate(here.world(), line_bytes)) {}

placement_probe::~placement_probe() noexcept(false) {
  // An error may have taken the other ranks away: then nobody is there to free it with.
  if (std::uncaught_exceptions() == 0) free(lines_);
}

void placement_probe::relax() {
  if (share_processes_ && !simulated_) return here_.progress();
  // Other programs may hold the core of the rank that is waited for: then a spin lasts a time
  // slice.
  if (oversubscribed_ || ++turns_ % yield_each == 0) {
    sched_yield();
  } else {
    upwash::relax();
  }
}

std::uint64_t* placement_probe::word_of(int rank) {
  return local(here_, lines_.at<std::uint64_t>(rank), 1);
}

double placement_probe::one_way_ns() {
  constexpr int trips = 60;
  constexpr double disturbed_ns = 2 * trips * far_limit_ns;
  std::atomic_ref mine(*word_of(here_.rank()));
  std::atomic_ref theirs(*word_of(1 - here_.rank()));
  const std::uint64_t last = round_ + trips;
  const std::uint32_t first_turn = turns_;
  const duration start = here_.now();
  // Where other programs hold the cores a trip lasts time slices: rank 0 then goes to the last one.
  // The clock is read after long waits only, since a reading takes as long as a trip.
  const auto is_disturbed = [&] {
    return turns_ - first_turn >= yield_each && (here_.now() - start).ns() > disturbed_ns;
  };
  while (round_ < last) {
    ++round_;
    if (here_.rank() == 0) {
      if (is_disturbed()) round_ = last;
      theirs.store(round_, std::memory_order_release);
    }
    while (mine.load(std::memory_order_acquire) < round_) relax();
    if (here_.rank() == 1) {
      round_ = mine.load(std::memory_order_relaxed);
      theirs.store(round_, std::memory_order_release);
    }
  }
  return (here_.now() - start).ns() / (2.0 * trips);
}

placement placement_probe::look() {
  if (simulated_) return placement::simulated;
  // Ranks that share a process take turns: they cannot spin for each other.
  if (oversubscribed_ || here_.size() < 2 || share_processes_) return placement::shared;
  if (apart_) return placement::apart;
  // To be known before any spins: the first time a peer may have to be asked where its word is.
  if (here_.rank() < 2) static_cast<void>(word_of(1 - here_.rank()));
  control::barrier(here_.world());
  if (here_.rank() > 1) return placement::near;
  const double ns = one_way_ns();
  if (ns < near_limit_ns) return placement::near;
  return ns < far_limit_ns ? placement::far : placement::disturbed;
}

}  // namespace upwash::tuning
