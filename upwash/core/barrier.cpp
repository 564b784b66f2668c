// SPDX-FileCopyrightText: the upwash authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The control barrier in shared memory. Two members: each sets a flag in the other's part. More:
// an arrival counter and a release word in the first member's part; counts grow for ever, so
// nothing is reset. One wait and no second round: with more ranks than cores, cost is the number
// of switches, and this has the fewest.
#include <atomic>

#include "upwash/core/control.hpp"
#include "upwash/core/detail/job_state.hpp"
#include "upwash/core/detail/team_table.hpp"
#include "upwash/core/host.hpp"
#include "upwash/core/job.hpp"
#include "upwash/core/memory_access.hpp"
#include "upwash/core/wait_scope.hpp"

namespace upwash::control {
namespace {

/// A line each: arrivals and release are written by different ranks at different times.
struct barrier_part {
  alignas(64) std::uint64_t arrivals = 0;
  alignas(64) std::uint64_t released = 0;
};

void make_words(const team& among, detail::team_state& state) {
  state.barrier_words = allocate(among, sizeof(barrier_part));
  // The addresses are fetched now: later barriers only load and store.
  const int peer = among.size() == 2 ? 1 - among.rank() : 0;
  state.barrier_peer = local(among.here(), state.barrier_words.at<barrier_part>(peer));
  state.barrier_mine = state.barrier_words.mine_as<barrier_part>().data();
}

}  // namespace

void barrier(const team& among, call_site site) {
  job& here = among.here();
  ++host(here).counters().barriers;
  if (among.size() == 1) {
    here.progress();
    return;
  }
  auto& state = team_access::state(among);
  if (!state.between().all_direct()) return barrier_by_messages(among, site);
  const std::uint64_t epoch = ++state.barrier_epoch;
  const conduit::wait_reason reason{.operation = "barrier",
                                    .team = among.id(),
                                    .number = epoch,
                                    .counted = observe::series::barriers,
                                    .site = site};
  const wait_scope in(here, reason);
  if (!state.barrier_words) make_words(among, state);
  const auto members = static_cast<std::uint64_t>(among.size());
  auto& there = *static_cast<barrier_part*>(state.barrier_peer);
  std::uint64_t* watched = nullptr;
  if (members == 2) {
    watched = &static_cast<barrier_part*>(state.barrier_mine)->released;
    // Release: what this rank wrote before the barrier is visible to whoever leaves it.
    std::atomic_ref(there.released).store(epoch, std::memory_order_release);
  } else {
    watched = &there.released;
    const std::uint64_t arrived = std::atomic_ref(there.arrivals).fetch_add(1) + 1;
    if (arrived == epoch * members) {
      std::atomic_ref(there.released).store(epoch, std::memory_order_release);
      return here.progress();
    }
  }
  host(here).wait(
      conduit::wait_target::peers_word(*watched, conduit::comparison::greater_equal, epoch),
      reason);
}

}  // namespace upwash::control
